import type { Command } from 'commander'
import { listBrainKeys, mintBrainKey, revokeBrainKey, rotateBrainKey } from '../commands/brain-keys.ts'
import { type KeysMintOptions, keysMint } from '../commands/keys-mint.ts'
import { listManagementKeys, revokeManagementKey, rotateManagementKey } from '../commands/management-keys.ts'
import { type Adding, limitOption } from './adding.ts'

const mintHelp = `
Without --brain: a management key, for every Brain of the organization. Run it on the machine of the service, with the same
NOEMA_* settings: it opens the service's database directly. With --brain: a key of that Brain alone, by the API.

Examples:
  noema keys mint | noema login
  export NOEMA_API_KEY=$(noema keys mint --email you@example.com)
  noema keys mint --brain handbook --capabilities read,write --name 'my agent'`

const keyBrain = [
  '--brain <handle>',
  'a key of this Brain, by the API; without it a management key, on the database',
] as const
const keyAccount = [
  '--email <email>',
  'of management keys: the account whose organization is meant (default: the first)',
] as const

/** Adds the commands about keys: those of a Brain by the API, management keys on the service's own database. */
export const addKeyCommands = ({ program, context, finish }: Adding): void => {
  const keys = program.command('keys').description('Keys: of a Brain with --brain, else management keys')
  keys
    .command('mint')
    .description('Mint a key and print its secret')
    .option(...keyBrain)
    .option('--capabilities <list>', 'of a Brain key: read, write, review, admin, separated by commas (default: read)')
    .option('--name <name>', 'the name of the key in lists', 'cli')
    .option(...keyAccount)
    .option('--password <password>', 'the password of that account, if it is new')
    .option('--create', 'make the data folder if there is none')
    .addHelpText('after', mintHelp)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<KeysMintOptions & { brain?: string; capabilities?: string }>()
      finish(await (options.brain === undefined ? keysMint(context, options) : mintBrainKey(context, options)))
    })
  keys
    .command('list')
    .description('List keys, never a secret')
    .option(...keyBrain)
    .option(...keyAccount)
    .option(...limitOption)
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals()
      finish(await (options.brain === undefined ? listManagementKeys : listBrainKeys)(context, options))
    })
  keys
    .command('rotate')
    .description('Replace a key and print the new secret; the old one of a Brain works for another minute')
    .argument('<key>', 'its id')
    .option(...keyBrain)
    .option(...keyAccount)
    .action(async (id: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      finish(await (options.brain === undefined ? rotateManagementKey : rotateBrainKey)(context, id, options))
    })
  keys
    .command('revoke')
    .description('Revoke a key; its next request is refused')
    .argument('<key>', 'its id')
    .option(...keyBrain)
    .option(...keyAccount)
    .action(async (id: string, _, command: Command) => {
      const options = command.optsWithGlobals()
      finish(await (options.brain === undefined ? revokeManagementKey : revokeBrainKey)(context, id, options))
    })
}
