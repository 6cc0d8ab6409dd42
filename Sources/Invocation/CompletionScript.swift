/// The scripts that make bash, zsh and fish complete `parley`; each calls the program back with the line typed so far.
///
/// Not the argument parser's own: those split `llama3:8b` and `--set key=value` in bash, and know nothing of slash
/// commands.
package struct CompletionScript: Sendable {
  package var shell: String
  /// The name shells look for.
  package var file: String
  package var text: String

  /// What the scripts call the program with, before the line; after it comes in bash the part that will be replaced.
  package static let request = "---completion"

  package static let all = [bash, zsh, fish]

  private static let bash = CompletionScript(
    shell: "bash", file: "parley.bash",
    text: #"""
      # bash completion for parley

      _parley() {
          local line=${COMP_LINE:0:COMP_POINT} value
          COMPREPLY=()
          while IFS=$'\t' read -r value _; do
              case ${COMP_WORDS[COMP_CWORD]} in
                  \"*) value=${value//[\\\"\$\`]/\\&} ;;
                  \'*) value=${value//\'/\'\\\'\'} ;;
                  *) printf -v value %q "$value"; value=${value/#\\~/\~} ;;
              esac
              COMPREPLY+=("$value")
          done < <("${1/#\~/$HOME}" ---completion "$line" "$2" 2>/dev/null)
          if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=] ]]; then compopt -o nospace; fi
      }

      complete -F _parley parley

      """#)

  private static let zsh = CompletionScript(
    shell: "zsh", file: "_parley",
    text: #"""
      #compdef parley

      _parley() {
          local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$PREFIX" typed="${(Q)PREFIX}" value summary shown
          local program=${(Q)words[1]}
          local -a whole whole_shown open open_shown
          local -i others=0
          while IFS=$'\t' read -r value summary; do
              shown=$value${summary:+  ($summary)}
              [[ $value == ${(b)typed}* ]] || others+=1
              if [[ $value == *[/=] ]]; then
                  open+=("$value") open_shown+=("$shown")
              else
                  whole+=("$value") whole_shown+=("$shown")
              fi
          done < <(${~program} ---completion "$line" 2>/dev/null)
          (( $#whole + $#open )) || return 1
          # Several that only contain what was typed: it stays until one is chosen.
          if (( others && $#whole + $#open > 1 )); then compstate[insert]=menu compstate[list]='list force'; fi
          (( $#whole )) && compadd -U -V parley -l -d whole_shown -a whole
          (( $#open )) && compadd -U -S '' -V parley-open -l -d open_shown -a open
          return 0
      }

      if [[ ${funcstack[1]} = _parley ]]; then
          _parley "$@"
      else
          compdef _parley parley
      fi

      """#)

  private static let fish = CompletionScript(
    shell: "fish", file: "parley.fish",
    text: #"""
      # fish completion for parley

      function __parley_complete
          set -l line (commandline -cp | string collect)
          set -l program (string split -m 1 -- ' ' (string trim -l -- $line))[1]
          set program (string replace -r '^~' -- $HOME $program)
          type -q -- $program; or set program parley
          command $program ---completion "$line" 2>/dev/null
      end

      complete -c parley -f -k -a '(__parley_complete)'

      """#)
}
