import Chat
import Testing

@testable import Backends
@testable import Transport

@Suite struct KamiwazaBrowsingTests {
  private static let api = "https://kz.lan/api"

  private func browsing(_ routes: [String: String]) throws -> (any Browsing, RoutedHTTP) {
    var replies: [String: [ScriptedHTTP.Reply]] = [:]
    for (path, body) in routes { replies[Self.api + path] = [.json(body)] }
    let http = RoutedHTTP(replies)
    return (try #require(KamiwazaBackend(http).browsing), http)
  }

  private func value(_ key: String, of item: BrowseItem) -> BrowseValue? {
    item.fields.first { $0.key == key }?.value
  }

  private static let models = """
    [{"id":"m1","name":"Llama","author":"meta","modelfamily":"llama","repo_modelId":"meta/Llama",
      "m_files":[{"name":"l-Q4_K_M.gguf","size":4096,"download":true},
                 {"name":"l-Q8_0.gguf","is_downloading":true,"download_percentage":40}]},{"name":"Bare"}]
    """

  @Test func `models are listed with all the seed's columns`() async throws {
    let (browsing, _) = try browsing(["/models/?load_files=true": Self.models])
    let items = try await browsing.list(.models)
    #expect(items[0].name == "Llama" && items[0].id == "m1")
    #expect(
      items[0].fields == [
        BrowseField("author", "AUTHOR", .text("meta")), BrowseField("family", "FAMILY", .text("llama")),
        BrowseField("repository", "REPOSITORY", .text("meta/Llama")),
        BrowseField("quantizations", "QUANTIZATIONS", .list([.text("Q4_K_M"), .text("Q8_0")])),
        BrowseField("fileCount", "FILES", .int(2)),
      ])
    #expect(items[1].fields.map(\.key) == items[0].fields.map(\.key))
  }

  @Test func `a model is shown with its files, which one route may not load`() async throws {
    let (browsing, _) = try browsing([
      "/models/?load_files=true": Self.models, "/models/m1": #"{"id":"m1","name":"Llama","hub":"hf","m_files":[]}"#,
    ])
    let item = try await browsing.detail(BrowseItem(id: "m1", name: "Llama", fields: []), of: .models)
    #expect(value("hub", of: item) == .text("hf"))
    guard case .list(let files)? = value("files", of: item), case .record(let first)? = files.first,
      case .record(let second)? = files.last
    else {
      Issue.record("\(item)")
      return
    }
    #expect(first.contains(BrowseField("size", "SIZE", .bytes(4096))))
    #expect(first.contains(BrowseField("state", "STATE", .status("downloaded", .good))))
    #expect(second.contains(BrowseField("state", "STATE", .status("downloading", .underWay))))
    #expect(second.contains(BrowseField("percentage", "PERCENTAGE", .int(40))))
    let bare = try await browsing.detail(BrowseItem(id: "Bare", name: "Bare", fields: []), of: .models)
    #expect(bare.name == "Bare")
  }

  private static let urn = "urn:li:dataset:(urn:li:dataPlatform:s3,a/b,PROD)"
  private static let encoded = "urn%3Ali%3Adataset%3A%28urn%3Ali%3AdataPlatform%3As3%2Ca%2Fb%2CPROD%29"

  @Test func `a dataset is shown with its schema`() async throws {
    let dataset =
      #"{"urn":"\#(Self.urn)","name":"a","platform":"s3","environment":"PROD","tags":["x"],"properties":{"k":1}}"#
    let (browsing, http) = try browsing([
      "/catalog/datasets/": "[\(dataset)]", "/catalog/datasets/by-urn?urn=\(Self.encoded)": dataset,
      "/catalog/datasets/by-urn/schema?urn=\(Self.encoded)":
        #"{"name":"s","platform":"s3","fields":[{"name":"id","type":"int"}]}"#,
    ])
    let listed = try #require(try await browsing.list(.catalog).first)
    #expect(listed.fields.map(\.key) == ["platform", "environment", "description", "tags"])
    let item = try await browsing.detail(listed, of: .catalog)
    #expect(
      value("schemaFields", of: item)
        == .list([
          .record([
            BrowseField("name", "NAME", .text("id")), BrowseField("type", "TYPE", .text("int")),
            BrowseField("description", "DESCRIPTION", .none),
          ])
        ]))
    #expect(value("properties", of: item) == .record([BrowseField("k", "k", .int(1))]))
    #expect(http.asked.allSatisfy { $0.hasPrefix("GET https://kz.lan/api/catalog/datasets/") })
  }

  @Test func `a dataset without a schema is shown without`() async throws {
    let (browsing, _) = try browsing([
      "/catalog/datasets/by-urn?urn=u": #"{"urn":"u","name":"a","platform":"s3"}"#
    ])
    let item = try await browsing.detail(BrowseItem(id: "u", name: "a", fields: []), of: .catalog)
    #expect(value("schemaFields", of: item) == .list([]))
  }

  private static let apps = """
    [{"id":"a1","name":"Wiki","status":"DEPLOYED","template_id":"t1","deployed_at":"1970-01-01T00:00:01",
      "env_vars":{"TOKEN":"hunter2"},"instances":[{"id":"i1","status":"DEPLOYED","listen_port":80}]},
     {"id":"a2","name":"Notes","status":"MUST_REDOWNLOAD"}]
    """

  @Test func `apps have their status, their time and their template's name`() async throws {
    let (browsing, _) = try browsing([
      "/apps/deployments": Self.apps, "/apps/app_templates": #"[{"id":"t1","name":"wiki-template"}]"#,
      "/extensions": """
      [{"name":"wiki","type":"app","version":"1","phase":"Running"},{"name":"new","type":"service","phase":"Failed"},
       {"name":"search","type":"tool","phase":"Running"}]
      """,
    ])
    let items = try await browsing.list(.apps)
    #expect(items.map(\.name) == ["Wiki", "Notes", "new"])
    #expect(
      items[0].fields == [
        BrowseField("status", "STATUS", .status("DEPLOYED", .good)),
        BrowseField("deployedAt", "DEPLOYED AT", .moment(1000)),
        BrowseField("template", "TEMPLATE", .text("wiki-template")),
      ])
    #expect(items.map { value("status", of: $0) }[1...] == [.status("MUST_REDOWNLOAD", .bad), .status("Failed", .bad)])
    let detail = try await browsing.detail(items[0], of: .apps)
    #expect(value("template", of: detail) == .text("wiki-template"))
    #expect(value("variables", of: detail) == .list([.text("TOKEN")]))
    #expect(!"\(detail)".contains("hunter2"))
    guard case .list(let instances)? = value("instances", of: detail) else {
      Issue.record("\(detail)")
      return
    }
    #expect(instances.count == 1)
    #expect(value("version", of: try await browsing.detail(items[2], of: .apps)) != nil)
  }

  @Test func `a platform with extensions alone has apps and tools`() async throws {
    let (browsing, _) = try browsing([
      "/extensions": """
      [{"name":"wiki","type":"app","version":"1","phase":"Provisioning"},
       {"name":"search","type":"tool","version":"2","phase":"Running","endpoints":{"runtime_path":"/runtime/tools/s"}}]
      """,
      "/tool/discover": """
      {"servers":[{"deployment_id":"x","name":"search","url":"/u","status":"Running","created_at":"2026-01-01",
       "capabilities":[{"name":"find","parameters":{"query":{"type":"string"}}}]}],"total":1}
      """,
    ])
    let app = try #require(try await browsing.list(.apps).first)
    #expect(app.name == "wiki" && value("status", of: app) == .status("Provisioning", .underWay))
    let tool = try #require(try await browsing.list(.tools).first)
    #expect(value("url", of: tool) == .text("https://kz.lan/runtime/tools/s"))
    let detail = try await browsing.detail(tool, of: .tools)
    #expect(Set(detail.fields.map(\.key)).count == detail.fields.count)
    guard case .list(let capabilities)? = value("capabilities", of: detail),
      case .record(let fields)? = capabilities.first
    else {
      Issue.record("\(detail)")
      return
    }
    #expect(fields.contains(BrowseField("parameters", "PARAMETERS", .list([.text("query")]))))
  }

  @Test func `tools have their address, and what they offer is found by their deployment`() async throws {
    let (browsing, _) = try browsing([
      "/tool/deployments": """
      [{"id":"t1","name":"search","status":"STOPPED","url":"https://kz.lan/runtime/tools/t1","deployed_at":null}]
      """,
      "/tool/discover":
        #"{"servers":[{"deployment_id":"t1","name":"s","url":"u","status":"x","capabilities":null}],"total":1}"#,
    ])
    let tool = try #require(try await browsing.list(.tools).first)
    #expect(
      tool.fields == [
        BrowseField("status", "STATUS", .status("STOPPED", .neutral)),
        BrowseField("url", "URL", .text("https://kz.lan/runtime/tools/t1")),
        BrowseField("deployedAt", "DEPLOYED AT", .none),
      ])
    #expect(value("capabilities", of: try await browsing.detail(tool, of: .tools)) == BrowseValue.none)
  }

  @Test func `templates of apps and tools stand in one list, each once`() async throws {
    let (browsing, _) = try browsing([
      "/apps/app_templates": """
      [{"id":"1","name":"wiki","risk_tier":1,"verified":true},{"id":"2","name":"tool-a","template_type":"tool"}]
      """,
      "/tool/templates": #"[{"name":"tool-a"},{"name":"tool-b","version":"3","required_env_vars":["KEY"]}]"#,
    ])
    let items = try await browsing.list(.templates)
    #expect(items.map(\.name) == ["wiki", "tool-a", "tool-b"])
    #expect(items.map { value("kind", of: $0) } == [.text("app"), .text("tool"), .text("tool")])
    let detail = try await browsing.detail(items[2], of: .templates)
    #expect(value("requiredVariables", of: detail) == .list([.text("KEY")]))
  }

  @Test func `what has the same address as something older is the same thing`() async throws {
    let (browsing, _) = try browsing([
      "/apps/deployments": #"[{"id":"a","name":"Wiki","status":"DEPLOYED","access_path":"/runtime/apps/a"}]"#,
      "/tool/deployments": #"[{"id":"t","name":"Search","url":"https://kz.lan/runtime/tools/t/"}]"#,
      "/extensions": """
      [{"name":"wiki-7f","type":"app","phase":"Running","endpoints":{"runtime_path":"/runtime/apps/a/"}},
       {"name":"search-7f","type":"tool","phase":"Running","endpoints":{"external":"https://KZ.lan/runtime/tools/t"}},
       {"name":"other","type":"tool","phase":"Running","endpoints":{"runtime_path":"/runtime/tools/u"}}]
      """,
    ])
    #expect(try await browsing.list(.apps).map(\.name) == ["Wiki"])
    #expect(try await browsing.list(.tools).map(\.name) == ["Search", "other"])
  }

  @Test func `a platform of one version has what it has, and one without any list is told of`() async throws {
    for route in ["/apps/deployments", "/tool/deployments", "/extensions", "/apps/app_templates", "/tool/templates"] {
      let (browsing, _) = try browsing([route: "[]"])
      for topic in [BrowseTopic.apps, .tools, .templates] where Self.routes[topic]?.contains(route) == true {
        #expect(try await browsing.list(topic).isEmpty)
      }
    }
    let (elsewhere, _) = try browsing([:])
    for topic in [BrowseTopic.apps, .tools, .templates] {
      await #expect(throws: BackendError.refused(address: "kz.lan", status: 404, message: "Not Found")) {
        try await elsewhere.list(topic)
      }
    }
  }

  private static let routes: [BrowseTopic: Set<String>] = [
    .apps: ["/apps/deployments", "/extensions"], .tools: ["/tool/deployments", "/extensions"],
    .templates: ["/apps/app_templates", "/tool/templates"],
  ]

  @Test func `what is broken is told`() async throws {
    let broken = RoutedHTTP([Self.api + "/apps/deployments": [.error(500)]])
    await #expect(throws: BackendError.refused(address: "kz.lan", status: 500, message: "no")) {
      try await KamiwazaBackend(broken).browsing?.list(.apps)
    }
  }

  // Without it a failure would wait for ever.
  @Test(.timeLimit(.minutes(5))) func `independent requests run side by side`() async throws {
    let meeting = Meeting(of: 3)
    _ = try await KamiwazaBackend(meeting).browsing?.list(.apps)
    #expect(await meeting.isHeld)
  }
}

/// Answers nobody before so many have asked.
private actor Meeting: HTTP {
  private let size: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var isHeld = false

  init(of size: Int) { self.size = size }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    await arrive()
    return HTTPResponse(status: 200, headers: [], body: ScriptedBody([.text("[]")], whenSilent: {}))
  }

  private func arrive() async {
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      guard waiting.count == size else { return }
      isHeld = true
      for guest in waiting { guest.resume() }
    }
  }
}
