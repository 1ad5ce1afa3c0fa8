import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeText } from '../output.ts'
import { quote } from '../quote-shell.ts'

/** The shells that have completion. */
export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

type Place = { path: string; words: { word: string; about: string }[] }

const firstSentence = (text: string): string => text.split('\n')[0] ?? ''

/** The completions after each command: its subcommands, and its options with those of the program. */
const listPlaces = (command: Command, path: readonly string[], shared: Place['words']): Place[] => {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  const options = help
    .visibleOptions(command)
    .flatMap((option) => (option.long ? [{ word: option.long, about: firstSentence(option.description) }] : []))
  const own = commands.map((one) => ({ word: one.name(), about: firstSentence(one.description()) }))
  const here = { path: path.join(' '), words: [...own, ...options, ...(path.length > 0 ? shared : [])] }
  return [here, ...commands.flatMap((one) => listPlaces(one, [...path, one.name()], shared))]
}

const findPlaces = (program: Command): Place[] => {
  const shared = program.options.flatMap((option) =>
    option.long && option.long !== '--version' ? [{ word: option.long, about: firstSentence(option.description) }] : [],
  )
  return listPlaces(program, [], shared)
}

// Finds the command on the line: the words that are not options, as far as they name commands.
const bash = (places: readonly Place[]): string => `# bash completion of noema: source <(noema completion bash)
_noema() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      -*) ;;
      *) if _noema_words "\${at:+$at }$word" >/dev/null; then at="\${at:+$at }$word"; fi ;;
    esac
  done
  words="$(_noema_words "$at")"
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}
_noema_words() {
  case "$1" in
${places.map(({ path, words }) => `    '${path}') echo '${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
    *) return 1 ;;
  esac
}
complete -o default -F _noema noema
`

const zsh = (places: readonly Place[]): string => `#compdef noema
# zsh completion of noema: noema completion zsh > "\${fpath[1]}/_noema"
_noema_at() {
  case "$1" in
${places
  .map(({ path, words }) => {
    const described = words.map(({ word, about }) => quote(`${word}:${about.replaceAll(':', '\\:')}`))
    return `    '${path}') found=(${described.join(' ')}) ;;`
  })
  .join('\n')}
    *) return 1 ;;
  esac
}
_noema() {
  local at="" word
  local -a found
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "$word" in
      -*) ;;
      *) if _noema_at "\${at:+$at }$word"; then at="\${at:+$at }$word"; fi ;;
    esac
  done
  _noema_at "$at"
  _describe 'noema' found || _files
}
if [ "$funcstack[1]" = "_noema" ]; then _noema "$@"; else compdef _noema noema; fi
`

const fish = (places: readonly Place[]): string => {
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const condition = `-n ${quote(`test (__noema_at) = ${JSON.stringify(path)}`)}`
      const given = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      return `complete -c noema ${condition} ${given} -d ${quote(about)}`
    }),
  )
  const known = places.map(({ path }) => quote(path)).join(' ')
  return `# fish completion of noema: noema completion fish > ~/.config/fish/completions/noema.fish
function __noema_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and continue
    set -l next (string trim "$at $word")
    contains -- $next ${known}; and set at $next
  end
  echo "\\"$at\\"" | string trim -c '"'
end
complete -c noema -f
${lines.join('\n')}
`
}

const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish }

/** Prints a shell's completion script for the commands and options of this program. */
export const printCompletion = async (context: Context, given: string, program: Command): Promise<number> => {
  const shell = shells.find((known) => known === given)
  if (!shell) throw new UsageError(`There is completion for ${shells.join(', ')}, not for ${JSON.stringify(given)}.`)
  await writeText(context.stdout, scripts[shell](findPlaces(program)))
  return exitCodes.ok
}
