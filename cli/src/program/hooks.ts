import type { Command } from 'commander'
import { answerHook } from '../commands/hook.ts'
import { installHooks, uninstallHooks } from '../commands/hooks-install.ts'
import { hookClients } from '../hooks/hook-clients.ts'
import { type Adding, brainOption } from './adding.ts'

const names = hookClients.map(({ name }) => name).join(', ')

const hookHelp = `
Coding agents run this command: it reads a hook's input on standard input and answers JSON. At the start of a session and for a
prompt it adds what the Brain knows; after a turn it sends what was said, without credentials. It never makes the agent wait
long, and its exit code is 0. To set an agent up: noema hooks install.`

const hooksHelp = `
Clients: ${names}.

The hooks are added to the client's own file, next to those of others, with a key of the Brain alone that can read and write.
docs/coding-agents.md says what they send.

Examples:
  noema hooks install claude-code --brain team
  noema hooks install codex --brain team --no-capture
  noema hooks uninstall claude-code`

/** Adds the commands for coding agents. */
export const addHookCommands = ({ program, context, finish }: Adding): void => {
  program
    .command('hook')
    .description('Answer a hook of a coding agent')
    .argument('<client>', 'such as claude-code, codex, cursor')
    .option(...brainOption)
    .option('--flush', 'only send what waits')
    .addHelpText('after', hookHelp)
    .action(async (client: string, _, command: Command) =>
      finish(await answerHook(context, client, command.optsWithGlobals())),
    )
  const hooks = program.command('hooks').description('Install the hooks of a coding agent, and remove them')
  hooks
    .command('install')
    .description('Give a coding agent what a Brain knows, and send the Brain what was said')
    .argument('<client>', 'such as claude-code, codex, cursor, gemini-cli, vscode, opencode')
    .option(...brainOption)
    .option('--no-capture', 'only add context: send nothing of what was said')
    .option('--print', 'show the addition, and change nothing')
    .addHelpText('after', hooksHelp)
    .action(async (client: string, _, command: Command) =>
      finish(await installHooks(context, client, command.optsWithGlobals())),
    )
  hooks
    .command('uninstall')
    .description('Remove the hooks, their key on this machine, and what waits to be sent')
    .argument('<client>', 'such as claude-code, codex, cursor, gemini-cli, vscode, opencode')
    .addHelpText('after', hooksHelp)
    .action(async (client: string, _, command: Command) =>
      finish(await uninstallHooks(context, client, command.optsWithGlobals())),
    )
}
