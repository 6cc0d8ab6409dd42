# bash completion for parley

_parley() {
    local line=${COMP_LINE:0:COMP_POINT} typed strip= quote= value
    COMPREPLY=()
    typed=${line##*[[:space:]]}
    case $2 in
        \"* | \'*) quote=${2:0:1} ;;
        # Readline replaces only what follows the last colon or equals sign.
        *) [[ $typed != *[:=]* || $typed == *[\"\'\\]* ]] || strip=${typed%"${typed##*[:=]}"} ;;
    esac
    while IFS=$'\t' read -r value _; do
        [[ $value == "$strip"* ]] || continue
        value=${value#"$strip"}
        case $quote in
            '') printf -v value %q "$value"; value=${value/#\\~/\~} ;;
            \") value=\"${value//[\\\"\$\`]/\\&} ;;
            \') value=\'${value//\'/\'\\\'\'} ;;
        esac
        COMPREPLY+=("$value")
    done < <("${1/#\~/$HOME}" ---completion "$line" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 ]]; then
        if [[ ${COMPREPLY[0]} == *[/=] ]]; then compopt -o nospace; else COMPREPLY[0]+=$quote; fi
    fi
}

complete -F _parley parley
