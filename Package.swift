// swift-tools-version: 6.2
import PackageDescription

// CI sets PARLEY_STRICT; a newer compiler's new warning must not stop a user's build.
let strict = Context.environment["PARLEY_STRICT"] != nil
let swift: [SwiftSetting] =
  [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")]
  + (strict ? [.treatAllWarnings(as: .error)] : [])

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swift)
}

/// What tests read.
let resources = ["Shell": "Transcripts", "Backends": "Schemas"]

/// What they find by their own place, so that it can be recorded anew.
let others = ["Text": ["Drawings"], "Store": ["Exports"]]

func tests(of name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.target(name: name), "TestSupport"] + dependencies,
    exclude: others[name] ?? [], resources: resources[name].map { [.copy($0)] } ?? [], swiftSettings: swift)
}

let package = Package(
  name: "parley",
  products: [.executable(name: "parley", targets: ["parley"])],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "CTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CPattern", linkerSettings: [.linkedLibrary("pcre2-8")]),
    .target(name: "CProcess"),
    .target(name: "CDigest", linkerSettings: [.linkedLibrary("crypto")]),
    .target(name: "CTerminal", linkerSettings: [.linkedLibrary("edit")]),
    .target(name: "CText", linkerSettings: [.linkedLibrary("utf8proc")]),
    .target(name: "CMarkdown", linkerSettings: [.linkedLibrary("cmark-gfm-extensions"), .linkedLibrary("cmark-gfm")]),
    .target(
      name: "CHighlight",
      linkerSettings: [.linkedLibrary("source-highlight"), .linkedLibrary("boost_regex"), .linkedLibrary("stdc++")]),
    module("Addresses", ["CCurl"]),
    module("Waiting"),
    module("Chat", ["Waiting", "Wire"]),
    module("Wire", ["CPattern"]),
    module("Programs"),
    module("Text", ["CHighlight", "CMarkdown", "CText"]),
    .systemLibrary(name: "CWslay"),
    module(
      "Transport",
      ["Addresses", "CCurl", "CDigest", "CProcess", "CTLS", "CWslay", "Chat", "Programs", "Waiting", "Wire"]),
    .target(name: "CConfined"),
    module("Confined", ["CConfined"]),
    module("Backends", ["Chat", "Confined", "Programs", "Text", "Wire", "Transport", "Waiting", "CDigest"]),
    module(
      "Store",
      [
        "Addresses", "CDigest", "CProcess", "Chat", "Programs", "Waiting", "Wire",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    module("Shell", ["Addresses", "Chat", "Programs", "Waiting", "Wire", "Text", "Store"]),
    module("Serving", ["Chat", "Shell", "Store", "Text", "Transport", "Waiting", "Wire"]),
    module("Console", ["Chat", "Programs", "Shell", "Store", "Text", "CTerminal", "Waiting", "Wire"]),
    module(
      "Invocation",
      ["Chat", "Shell", "Store", "Wire", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    .executableTarget(
      name: "parley",
      dependencies: [
        "Backends", "Chat", "Console", "Invocation", "Programs", "Serving", "Shell", "Store", "Text", "Transport",
        "Waiting",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swift),
    .target(name: "CPlayground", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .executableTarget(
      name: "playground",
      dependencies: [
        "CPlayground", "Chat", "Transport", "Wire", .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: swift),
    .executableTarget(name: "generate-docs", dependencies: ["Invocation"], swiftSettings: swift),
    .target(
      name: "TestSupport", path: "Tests/TestSupport",
      exclude: [
        "acp_peer.py", "acp_puppet.py", "chatui_scenes.py", "chatui_selftest.py", "chatui_server.py", "chatui_state.py",
        "code_server.py",
        "fastmcp_peer.py", "gateway_neighbours.py", "gateway_parts.py", "gateway_selftest.py", "gateway_server.py",
        "hostile_texts.py", "mixed_markdown.py", "peer_socket.py", "mcp_peer.py",
        "scripted_server.py", "tls_server.py", "tool_calling_model.py",
        "ttyd_server.py",
        "websocket_server.py",
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "console-probe", dependencies: ["Console", "Shell", "Text"], path: "Tests/ConsoleProbe",
      swiftSettings: swift),
    .executableTarget(
      name: "store-probe", dependencies: ["Chat", "Store"], path: "Tests/StoreProbe", swiftSettings: swift),
    tests(of: "Confined", []),
    tests(of: "Programs", []),
    tests(of: "Waiting", []),
    tests(of: "Wire", []),
    tests(of: "Text", ["CMarkdown"]),
    tests(of: "Transport", ["Addresses", "Chat", "Wire"]),
    tests(of: "Backends", ["Chat", "Wire", "Transport", "Waiting", "playground"]),
    tests(of: "Store", ["Chat", "Wire", "store-probe"]),
    tests(of: "Shell", ["Chat", "Programs", "Wire", "Text", "Store", "Invocation"]),
    tests(of: "Invocation", ["Shell", "Store", "Text"]),
    tests(of: "Serving", ["Chat", "Shell", "Store", "Wire"]),
    tests(of: "Console", ["Shell", "Text", "CProcess", "CTerminal", "console-probe"]),
  ],
  swiftLanguageModes: [.v6]
)
