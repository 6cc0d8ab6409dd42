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
