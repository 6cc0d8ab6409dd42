/// The files that are made from the tables and checked in, by their path in the project.
package enum Documents {
  package static var all: [(path: String, text: String)] {
    [("man/parley.1", ManPage.text)] + CompletionScript.all.map { ("completions/\($0.file)", $0.text) }
  }
}
