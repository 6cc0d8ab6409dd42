#!/usr/bin/env bash
# One door: only Sources/Console (and its C half) writes to a terminal, and only Sources/Text makes text that it may write.
#
#   scripts/lint-door.sh [DIRECTORY]    list each line under DIRECTORY/Sources that goes around the door
#   scripts/lint-door.sh --self-test    plant each kind of violation and see that it is found
#
# Exits with 1 when there is one. Comments are looked at too: a commented-out print does not belong there either.
set -euo pipefail

writes='(^|[^[:alnum:]_.])(print|debugPrint|dump|fputs|fputc|putchar|puts|fwrite|printf|vprintf|fprintf|vfprintf|perror|psignal|syslog)[[:space:]]*\('
swift_print='Swift\.(print|debugPrint|dump)[[:space:]]*\('
libc='(Glibc|Musl|Darwin|Foundation)\.(fputs|fputc|putchar|puts|fwrite|perror)[[:space:]]*\('
handles='FileHandle\.standard(Output|Error)|FileHandle\([[:space:]]*fileDescriptor:[[:space:]]*[12]([^[:alnum:]_]|$)'
descriptors='STDOUT_FILENO|STDERR_FILENO|FileDescriptor\.standard(Output|Error)|(^|[^[:alnum:]_])(write|writev|dprintf)[[:space:]]*\([[:space:]]*[12][[:space:]]*,'
devices='/dev/(tty|stdout|stderr|fd/[12])'
escapes='\\u\{0*1[bB]\}|\\e\[|\\x1[bB]|\\033|\\u\{0*9[bB]\}'
raw_escape=$'\033'
makers='SafeText\([[:space:]]*(filtered|stringLiteral):'

# look PATTERN FOLDER...: hits as file:line:text in Swift and C sources, without the folders allowed to do this.
look() {
  local pattern=$1
  shift
  local exclude=(--exclude-dir=generate-docs --exclude-dir=playground)
  local folder
  for folder in "$@"; do exclude+=("--exclude-dir=$folder"); done
  grep -rnE --include='*.swift' --include='*.c' --include='*.h' "${exclude[@]}" -e "$pattern" Sources || [ $? -eq 1 ]
}

lint() (
  cd "$1"
  [ -d Sources ] || { echo "lint-door: no Sources in $1" >&2; exit 2; }
  local hits
  hits=$(
    look "$writes|$swift_print|$libc|$handles|$descriptors|$devices" Console CTerminal
    look "$escapes|$raw_escape" Console CTerminal Text
    look "$makers" Text
  )
  [ -z "$hits" ] && exit 0
  sort -u <<<"$hits"
  echo "lint-door: text may reach a terminal only through Sources/Console, as SafeText made by Sources/Text" >&2
  exit 1
)

self_test() (
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  failures=0

  # expect STATUS FOLDER LINE
  expect() {
    rm -rf "$folder/Sources"
    mkdir -p "$folder/Sources/$2"
    printf '%s\n' '// the first line' "$3" >"$folder/Sources/$2/Planted.swift"
    local status=0 output
    output=$(lint "$folder" 2>/dev/null) || status=$?
    if [ "$status" -ne "$1" ]; then
      echo "lint-door: expected $1, got $status, for $2: $3" >&2
      failures=$((failures + 1))
    elif [ "$1" -eq 1 ] && [[ $output != "Sources/$2/Planted.swift:2:"* ]]; then
      echo "lint-door: no file and line for $2: $3" >&2
      failures=$((failures + 1))
    fi
  }

  while IFS= read -r line; do
    expect 1 Shell "$line"
    expect 1 Text "$line"
    expect 0 Console "$line"
    expect 0 generate-docs "$line"
    expect 0 playground "$line"
  done <<'END'
    print(answer)
print (answer)
    if loud { print("x") }
    Swift.print(answer)
    debugPrint(answer)
    dump(answer)
    FileHandle.standardOutput.write(data)
    let errors = FileHandle.standardError
    FileHandle(fileDescriptor: 1).write(data)
    fputs(answer, stdout)
    Glibc.fputs(answer, stderr)
    fwrite(bytes, 1, count, stdout)
    puts(answer)
    putchar(7)
    write(1, bytes, count)
    _ = write( 2 , bytes, count)
    try FileDescriptor.standardError.writeAll(bytes)
    Glibc.write(STDERR_FILENO, bytes, count)
    let terminal = open("/dev/tty", O_RDWR)
    perror("parley")
END
  while IFS= read -r line; do
    expect 1 Shell "$line"
    expect 0 Text "$line"
    expect 0 Console "$line"
  done <<END
    let bold = "\\u{1B}[1m"
    let bold = "\\u{1b}[1m"
    let bold = "\\u{001B}[1m"
    let bold = "\\e[1m"
    let bold = "\\x1b[1m"
    let csi = "\\u{9B}1m"
    let bold = "$(printf '\033')[1m"
END
  while IFS= read -r line; do
    expect 1 Shell "$line"
    expect 1 Console "$line"
    expect 0 Text "$line"
  done <<'END'
    let text = SafeText(filtered: answer)
    let text = SafeText( filtered: answer)
    let text = SafeText(stringLiteral: answer)
END
  while IFS= read -r line; do expect 0 Shell "$line"; done <<'END'
    let text: SafeText = "a fixed text"
    fingerprint(of: certificate)
    terminal.write([Span(text)], to: .output)
    blueprint(1, 2)
    rewrite(1, with: text)
    try handle.write(contentsOf: data)
    let inputs = outputs(for: puts)
    let input = FileHandle.standardInput
END
  [ "$failures" -eq 0 ] || exit 1
  echo "lint-door: every planted violation was found"
)

case "${1-}" in
  --self-test) self_test ;;
  -*) echo "usage: lint-door.sh [--self-test | DIRECTORY]" >&2; exit 2 ;;
  *) lint "${1:-$(dirname "$0")/..}" ;;
esac
