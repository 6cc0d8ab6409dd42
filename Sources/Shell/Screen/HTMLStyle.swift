/// How a page of sessions looks: by day, by night and on paper.
enum HTMLStyle {
  static let sheet = """
    :root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --faint: #5f5f5f; --line: #d0d0d0; --box: #f4f4f4;
      --link: #0b57a4; --keyword: #7a2fa0; --string: #2b6a2b; --number: #8a4b00; --comment: #666; --type: #00617a;
      --function: #0b57a4; }
    @media (prefers-color-scheme: dark) { :root { --ink: #e2e2e2; --paper: #181818; --faint: #a0a0a0; --line: #444;
      --box: #242424; --link: #8ab8f0; --keyword: #cfa0e8; --string: #9ccc9c; --number: #e0b070; --comment: #9a9a9a;
      --type: #7cc8dc; --function: #8ab8f0; } }
    body { margin: 0 auto; padding: 1rem; max-width: 46rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink);
      background: var(--paper); overflow-wrap: anywhere; }
    article + article { margin-top: 3rem; border-top: 3px double var(--line); }
    header p, .note { color: var(--faint); font-size: .9rem; margin: .3rem 0; }
    h1 { font-size: 1.5rem; margin: 1rem 0 0; } h2 { font-size: .9rem; margin: 1.5rem 0 .3rem; color: var(--faint); }
    .question { white-space: pre-wrap; margin: 0; padding: .6rem .8rem; background: var(--box); border-radius: .4rem; }
    .answer h1, .answer h2, .answer h3 { font-size: 1.1rem; color: var(--ink); margin: 1.2rem 0 .4rem; }
    blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); }
    .reasoning { white-space: pre-wrap; color: var(--faint); }
    code { font: .9em/1.45 ui-monospace, monospace; background: var(--box); border-radius: .2rem; }
    pre { padding: .6rem .8rem; background: var(--box); border-radius: .4rem; white-space: pre-wrap; margin: .5rem 0; }
    table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left; }
    [align=right] { text-align: right; } [align=center] { text-align: center; }
    a { color: var(--link); } hr { border: 0; border-top: 1px solid var(--line); } img { max-width: 100%; }
    .keyword { color: var(--keyword); } .string { color: var(--string); } .number { color: var(--number); }
    .comment { color: var(--comment); font-style: italic; } .type { color: var(--type); }
    .function { color: var(--function); }
    @media print { body { max-width: none; padding: 0; } section { break-inside: auto; } h2 { break-after: avoid; }
      a::after { content: " (" attr(href) ")"; font-size: .8em; } }
    """
}
