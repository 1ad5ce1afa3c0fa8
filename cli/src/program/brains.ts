import { type Command, Option } from 'commander'
import {
  brainRoles,
  listBrainMembers,
  openBrainTo,
  removeBrainMember,
  setBrainMember,
} from '../commands/brain-members.ts'
import { brainModes, createBrain, deleteBrain, listBrains, showBrain } from '../commands/brains.ts'
import { eventsFollow } from '../commands/events-follow.ts'
import { exportOrganization } from '../commands/export-organization.ts'
import { exportBrain, importBrain } from '../commands/transfer.ts'
import { webhooksListen } from '../commands/webhooks-listen.ts'
import { type Adding, brainOption, limitOption, readBrainOptions, yesOption } from './adding.ts'

const exportHelp = `
Examples:
  noema brains export handbook --output handbook.ndjson
  noema brains export handbook --history | gzip > handbook.ndjson.gz
  noema brains import copy handbook.ndjson --create`

const tailHelp = `
Examples:
  noema events follow --brain handbook
  noema events follow --brain handbook --types record.accepted,record.deleted --json
  noema events follow --brain handbook --once --after <cursor>`

const listenHelp = `
Follows the Brain's stream and posts each event to a server on your machine, signed like a delivery of the service: in
order, three attempts each. It does not create a webhook. The secret is printed first; use --secret to choose it.

Example:
  noema webhooks listen --brain handbook --forward-to http://localhost:3000/hook`

const membersHelp = `
Examples:
  noema brains members restrict salaries
  noema brains members set salaries ada@example.com --role reviewer`

const addMemberCommands = (brains: Command, { context, finish }: Adding): void => {
  const members = brains
    .command('members')
    .description('Who may use a Brain: everyone in the organization, or named members')
    .addHelpText('after', membersHelp)
  members
    .command('list')
    .description('List the members of a restricted Brain')
    .argument('<brain>')
    .action(async (brain: string, _, command: Command) =>
      finish(await listBrainMembers(context, brain, command.optsWithGlobals())),
    )
  members
    .command('set')
    .description('Give a member of the organization a role in a restricted Brain')
    .argument('<brain>')
    .argument('<member>', 'an email address, or the id of a person')
    .addOption(new Option('--role <role>', 'the role').choices(brainRoles).makeOptionMandatory())
    .action(async (brain: string, member: string, _, command: Command) =>
      finish(await setBrainMember(context, { brain, member }, command.optsWithGlobals())),
    )
  members
    .command('remove')
    .description('Take a member out of a restricted Brain')
    .argument('<brain>')
    .argument('<member>', 'an email address, or the id of a person')
    .action(async (brain: string, member: string, _, command: Command) =>
      finish(await removeBrainMember(context, { brain, member }, command.optsWithGlobals())),
    )
  for (const [name, openTo, description] of [
    ['restrict', 'members', 'Restrict a Brain to named members, you first'],
    ['open', 'organization', 'Open a Brain to everyone in the organization'],
  ] as const)
    members
      .command(name)
      .description(description)
      .argument('<brain>')
      .action(async (brain: string, _, command: Command) =>
        finish(await openBrainTo(context, brain, openTo, command.optsWithGlobals())),
      )
}

const addTransferCommands = (brains: Command, { context, finish }: Adding): void => {
  brains
    .command('export')
    .description('Write a Brain as NDJSON to standard output or a file')
    .argument('<brain>')
    .option('--history', 'include every version, retraction and change, not only current items')
    .option('--output <file>', 'write to this file, which appears once it is complete')
    .addHelpText('after', exportHelp)
    .action(async (brain: string, _, command: Command) =>
      finish(await exportBrain(context, { ...command.optsWithGlobals(), brain })),
    )
  brains
    .command('import')
    .description('Load an export into a Brain that was never written to')
    .argument('<brain>')
    .argument('<file>', 'an export, or - for standard input')
    .option('--create', 'create the Brain if it does not exist')
    .action(async (brain: string, file: string, _, command: Command) =>
      finish(await importBrain(context, file, { ...command.optsWithGlobals(), brain })),
    )
}

/** Adds the commands about Brains as a whole, and the organization that has them. */
export const addBrainCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const brains = program.command('brains').description('Brains (need a management key)')
  brains
    .command('list')
    .description('List the Brains of the organization')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listBrains(context, command.optsWithGlobals())))
  brains
    .command('create')
    .description('Create a Brain, or change its name and purpose')
    .argument('<brain>', 'its handle: 1 to 63 of a-z, 0-9 and -')
    .option('--name <name>', 'its name')
    .option('--purpose <text>', 'its purpose')
    .addOption(new Option('--mode <mode>', 'whether writes wait for review (default: direct)').choices(brainModes))
    .option('--schema <name>', 'the schema of the organization to begin with')
    .action(async (brain: string, _, command: Command) =>
      finish(await createBrain(context, brain, command.optsWithGlobals())),
    )
  brains
    .command('show')
    .description('Show a Brain: its mode, its content, its pending work')
    .argument('<brain>')
    .action(async (brain: string, _, command: Command) =>
      finish(await showBrain(context, brain, command.optsWithGlobals())),
    )
  brains
    .command('delete')
    .description('Delete a Brain and everything in it, after a yes')
    .argument('<brain>')
    .option(...yesOption)
    .action(async (brain: string, _, command: Command) =>
      finish(await deleteBrain(context, brain, command.optsWithGlobals())),
    )
  addMemberCommands(brains, adding)
  addTransferCommands(brains, adding)
  program
    .command('organizations')
    .description('The organization of a key')
    .command('export')
    .description(
      'Write everything of an organization into a folder, each Brain as a file of its own (needs a key of an owner)',
    )
    .argument('<folder>', 'a folder that does not exist yet')
    .option('--history', 'include every version, retraction and change of Brains')
    .action(async (folder: string, _, command: Command) =>
      finish(await exportOrganization(context, folder, command.optsWithGlobals())),
    )
}

/** Adds the commands that follow the stream of a Brain. */
export const addStreamCommands = ({ program, context, finish }: Adding): void => {
  program
    .command('events')
    .description("A Brain's stream of events")
    .command('follow')
    .alias('tail')
    .description('Print events as they are committed, until Ctrl-C')
    .option(...brainOption)
    .option('--after <cursor>', 'start after this cursor (default: the first event)')
    .option('--types <types>', 'only these event types, separated by commas')
    .option('--once', 'stop after the last committed event')
    .addHelpText('after', tailHelp)
    .action(async (_, command: Command) => finish(await eventsFollow(context, readBrainOptions(context, command))))
  program
    .command('webhooks')
    .description('Webhooks of a Brain')
    .command('listen')
    .description('Deliver events to a server on this machine, until Ctrl-C')
    .option(...brainOption)
    .requiredOption('--forward-to <url>', 'the URL that gets the deliveries')
    .option('--after <cursor>', 'start after this cursor (default: only new events)')
    .option('--types <types>', 'only these event types, separated by commas')
    .option('--secret <secret>', 'sign with this secret (whsec_…) instead of a new one')
    .addHelpText('after', listenHelp)
    .action(async (_, command: Command) => finish(await webhooksListen(context, readBrainOptions(context, command))))
}
