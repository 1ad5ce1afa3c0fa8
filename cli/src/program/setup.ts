import { aiClients } from '@noema/contracts/ai-clients.ts'
import type { Command } from 'commander'
import { printCompletion, shells } from '../commands/completion.ts'
import { connect } from '../commands/connect.ts'
import { login, logout, whoami } from '../commands/login.ts'
import { bridgeMcp } from '../commands/mcp-bridge.ts'
import { mcpClients } from '../commands/mcp-clients.ts'
import { installMcp } from '../commands/mcp-install.ts'
import { printOpenApi } from '../commands/openapi.ts'
import { type Adding, brainOption } from './adding.ts'

const loginHelp = `
Asks for what is not given; the key may also be piped in. It is checked, and kept in ~/.config/noema/profiles.json, which
only you can read. Commands use the profile of the last login, unless --profile or NOEMA_PROFILE names another.

The address and the key of a command are those of its options, else of --profile, else of NOEMA_BASE_URL and NOEMA_API_KEY,
else of the saved profile. The key of a profile is only ever sent to the address of that profile.

Examples:
  noema keys mint | noema login
  noema login https://noema.example.com --profile work --brain handbook
  noema brains list --profile work`

const mcpHelp = `
AI clients that start a program of their own run this command. It passes each message on to the Brain's server of MCP;
without a Brain to that of the organization. To set a client up: noema mcp install.`

const installHelp = `
Clients: ${mcpClients.map(({ name }) => name).join(', ')}.

Adds the Brain to the client's own file, and keeps a copy of the old file. With a management key it mints a key for the
client, of this Brain alone and with --capabilities, so that the client gets no more than that.

Examples:
  noema mcp install claude-desktop --brain handbook
  noema mcp install cursor --brain crm --capabilities read,write
  noema mcp install zed --brain handbook --print`

const connectHelp = `
Clients: ${aiClients.map(({ name }) => name).join(', ')}.

Prints the command, the link or the text that connects the client; it signs in through your browser and needs no key. Without a
client: all of them, with their last use. The page Connect of a Brain in the console shows the same. For clients without a
browser, see noema mcp install.

Examples:
  noema connect claude-code --brain handbook
  noema connect cursor --brain handbook --wait
  sh -c "$(noema connect codex --brain handbook)"`

const completionHelp = `
  bash: echo 'source <(noema completion bash)' >> ~/.bashrc
  zsh:  noema completion zsh > "\${fpath[1]}/_noema"
  fish: noema completion fish > ~/.config/fish/completions/noema.fish`

const addLoginCommands = ({ program, context, finish }: Adding): void => {
  program
    .command('login')
    .description('Check an address and a key, and save them for the commands that follow')
    .argument('[address]', 'where the service is (default: http://127.0.0.1:4100)')
    .option('--brain <handle>', 'the Brain that commands mean if they name none')
    .addHelpText('after', loginHelp)
    .action(async (address: string | undefined, _, command: Command) =>
      finish(await login(context, address, command.optsWithGlobals())),
    )
  program
    .command('logout')
    .description('Delete a saved profile; its key continues to work')
    .action(async (_, command: Command) => finish(await logout(context, command.optsWithGlobals())))
  program
    .command('whoami')
    .description('Show the service and the identity that commands use')
    .action(async (_, command: Command) => finish(await whoami(context, command.optsWithGlobals())))
}

/** Adds the commands that connect this machine, its shells and its AI clients with a service. */
export const addSetupCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  addLoginCommands(adding)
  program
    .command('connect')
    .description('Connect an AI client with a Brain: show what to run, open or paste, and when it last used the Brain')
    .argument('[client]', 'such as claude, chatgpt, claude-code, cursor, codex')
    .option(...brainOption)
    .option('--wait', 'wait until the client has used the Brain')
    .addHelpText('after', connectHelp)
    .action(async (client: string | undefined, _, command: Command) =>
      finish(await connect(context, client, command.optsWithGlobals())),
    )
  const mcp = program
    .command('mcp')
    .description('Speak MCP on standard input and output, for AI clients that start a program')
    .option(...brainOption)
    .addHelpText('after', mcpHelp)
    .action(async (_, command: Command) => finish(await bridgeMcp(context, command.optsWithGlobals())))
  mcp
    .command('install')
    .description("Add a Brain to an AI client's servers")
    .argument('<client>', 'such as claude-desktop, claude-code, cursor, vscode, codex')
    .option(...brainOption)
    .option('--name <name>', 'its name in the client', 'noema')
    .option('--capabilities <list>', "capabilities of the client's key: read, write, review, admin (default: read)")
    .option('--print', 'show the addition, and change nothing')
    .addHelpText('after', installHelp)
    .action(async (client: string, _, command: Command) =>
      finish(await installMcp(context, client, command.optsWithGlobals())),
    )
  program
    .command('openapi')
    .description("Print the service's OpenAPI document")
    .action(async (_, command: Command) => finish(await printOpenApi(context, command.optsWithGlobals())))
  program
    .command('completion')
    .description("Print a shell's completion script for commands and options")
    .argument('<shell>', shells.join(', '))
    .addHelpText('after', completionHelp)
    .action(async (shell: string) => finish(await printCompletion(context, shell, program)))
}
