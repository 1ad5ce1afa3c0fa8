import { type CommandDescription, describeProgram } from '../cli/src/describe-program.ts'

// docs/cli.md, generated from the commands' own help.

const introduction = `# Command line

\`noema\` runs the service and uses it: \`noema <noun> <verb>\`. \`noema --help\` lists the commands, \`noema <noun> --help\` and
\`noema <noun> <verb> --help\` say more of one. In a checkout of the source, write \`npx noema\`.

## First steps

\`\`\`sh
noema init                      # a .env with every setting, commented out
noema doctor                    # checks this machine and these settings
noema serve                     # starts the service
noema keys mint | noema login   # in a second terminal: a first key, checked and saved
noema sync ./docs --brain handbook --create --wait
noema search 'how to reset a password' --brain handbook
\`\`\`

A second service is a second profile: \`noema login https://noema.example.com --profile work\`, then \`--profile work\` with any
command, or \`NOEMA_PROFILE=work\`. \`NOEMA_BRAIN\` names the Brain of all commands that do not name one.

## In scripts

Data is written to standard output, everything else to standard error. Lists are tables at a terminal, fitted to its width;
elsewhere each row is a complete line without titles, with tabs between its columns. With \`--json\` each row is a JSON document
on a separate line, and an error is the envelope of the API on standard error. A command that removes something asks at a
terminal, and needs \`--yes\` elsewhere. \`--key\` makes a write safe to repeat.

\`\`\`sh
noema changes list --brain crm --json | jq -r .id | xargs -n 1 noema changes approve --brain crm
\`\`\`

| Exit code | Meaning |
| --- | --- |
| 0 | done |
| 1 | an unexpected error; of \`noema doctor\`: something does not work |
| 2 | the command was called wrongly |
| 3 | no key, a wrong one, or one that may not do this |
| 4 | not found |
| 5 | a conflict: another write was faster, or the state does not allow it |
| 6 | the service does not accept the input |
| 7 | the service cannot be reached, or asks to slow down; try again later |
| 8 | a run that was waited for failed or was cancelled |
| 9 | an eval did not complete, or did not reach its least score |
| 130 | interrupted by Ctrl-C |

Output has no colors if \`NO_COLOR\` is set, or in a pipe.
`

const toList = (items: readonly { name: string; about: string }[]): string[] =>
  items.map(({ name, about }) => `- \`${name}\`${about ? `: ${about}` : ''}`)

const toSection = (command: CommandDescription): string[] => {
  const parts = [
    `${command.about}.`.replace(/\.\.$/, '.'),
    toList([...command.arguments.filter(({ about }) => about), ...command.options]).join('\n'),
    command.notes && `\`\`\`text\n${command.notes}\n\`\`\``,
  ]
  return [`### ${command.usage}`, ...parts.filter((part) => part !== '')]
}

/** The text of docs/cli.md. */
export const cliPage = (): string => {
  const [program, ...commands] = describeProgram()
  const listed = commands.filter(({ hasCommands, options }) => !hasCommands || options.length > 0)
  const sections = listed.flatMap((command, at) => {
    const isFirst = command.group !== listed[at - 1]?.group
    return [...(isFirst ? [`## ${command.group.replace(/:$/, '')}`] : []), ...toSection(command)]
  })
  return [
    introduction.trimEnd(),
    '## Options of every command',
    toList(program?.options ?? []).join('\n'),
    ...sections,
    'This page is generated from the help of the commands by `npx node docs/generate.ts`.',
    '',
  ].join('\n\n')
}
