# fish completion for parley

function __parley_complete
    set -l line (commandline -cp | string collect)
    set -l program (string split -m 1 -- ' ' (string trim -l -- $line))[1]
    set program (string replace -r '^~' -- $HOME $program)
    type -q -- $program; or set program parley
    command $program ---completion "$line" 2>/dev/null
end

complete -c parley -f -k -a '(__parley_complete)'
