import { type Command, Option } from 'commander'
import { applications, decide, decisions, listChanges, revert, settle } from '../commands/changes.ts'
import { commentOnChange, previewChange } from '../commands/preview-change.ts'
import { showChange } from '../commands/show-change.ts'
import { type Adding, brainOption, keyOption, limitOption } from './adding.ts'

const reasonOption = ['--reason <text>', 'kept with the decision'] as const
const itemsOption = [
  '--items <items>',
  'only these items, separated by commas; the rest waits as a change of its own',
] as const

const approveHelp = `
Examples:
  noema changes approve chg_… --brain crm
  noema changes approve chg_… --brain crm --items 0,2 --reason 'the rest needs a source'
  noema changes approve chg_… --brain crm --publish-at 2030-01-01T09:00:00Z`

const addDecisions = (changes: Command, { context, finish }: Adding): void => {
  changes
    .command('approve')
    .description('Approve a change, or some of its items, and publish it')
    .argument('<change>')
    .option(...brainOption)
    .option(...itemsOption)
    .option('--no-publish', 'approve it, and publish it later with `changes publish`')
    .option('--publish-at <time>', 'publish it at this time (ISO 8601 with Z or an offset)')
    .option(...reasonOption)
    .option(...keyOption)
    .addHelpText('after', approveHelp)
    .action(async (id: string, _, command: Command) =>
      finish(await decide(context, [id, 'approved'], command.optsWithGlobals())),
    )
  changes
    .command('reject')
    .description('Reject a change, or some of its items')
    .argument('<change>')
    .option(...brainOption)
    .option(...itemsOption)
    .option(...reasonOption)
    .option(...keyOption)
    .action(async (id: string, _, command: Command) =>
      finish(await decide(context, [id, 'rejected'], command.optsWithGlobals())),
    )
}

const previewHelp = `
Examples:
  noema changes preview chg_… --brain crm -q 'Who leads the migration?'
  noema changes preview chg_… --brain crm -q 'Who leads it?' -q 'When does it begin?' --json
  noema changes preview chg_… --brain crm --eval evl_…`

const addReviewing = (changes: Command, { context, finish }: Adding): void => {
  changes
    .command('preview')
    .description('Ask questions, or run an eval, with and without a pending change')
    .argument('<change>')
    .option(
      '-q, --question <question>',
      'a question; repeat it for more',
      (one: string, before: readonly string[] = []) => [...before, one],
    )
    .option('--limit <number>', 'results of each question (default: 5)')
    .option('--eval <id>', 'an eval of this Brain; exit code 9 unless it passes')
    .option(...brainOption)
    .addHelpText('after', previewHelp)
    .action(async (id: string, _, command: Command) =>
      finish(await previewChange(context, id, command.optsWithGlobals())),
    )
  changes
    .command('comment')
    .description('Comment on a change, for its reviewers')
    .argument('<change>')
    .argument('<text>')
    .option(...brainOption)
    .action(async (id: string, text: string, _, command: Command) =>
      finish(await commentOnChange(context, [id, text], command.optsWithGlobals())),
    )
}

const settling = [
  ['publish', 'Publish an approved change now'],
  ['cancel', 'Cancel an approved change that is not applied'],
  ['rebase', 'Put a change on the current state; it then waits for a decision again'],
] as const

/** Adds the commands about changes and their review. */
export const addChangeCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const changes = program.command('changes').description('Changes of Brains, and their review')
  changes
    .command('list')
    .description('List pending changes, the newest first: of a Brain, or of all')
    .option('--brain <handle>', 'only of this Brain (NOEMA_BRAIN, or that of the profile; else all)')
    .addOption(new Option('--decision <decision>', 'those with this decision (default: pending)').choices(decisions))
    .addOption(new Option('--application <state>', 'those of which this became').choices(applications))
    .option('--all', 'any decision')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listChanges(context, command.optsWithGlobals())))
  changes
    .command('show')
    .description('Show the effect of a change, before and after')
    .argument('<change>')
    .option(...brainOption)
    .action(async (id: string, _, command: Command) => finish(await showChange(context, id, command.optsWithGlobals())))
  addReviewing(changes, adding)
  addDecisions(changes, adding)
  for (const [verb, about] of settling)
    changes
      .command(verb)
      .description(about)
      .argument('<change>')
      .option(...brainOption)
      .option(...keyOption)
      .action(async (id: string, _, command: Command) =>
        finish(await settle(context, [id, verb], command.optsWithGlobals())),
      )
  changes
    .command('revert')
    .description('Take an applied change back by a new one')
    .argument('<change>')
    .option(...brainOption)
    .option(...reasonOption)
    .option(...keyOption)
    .action(async (id: string, _, command: Command) => finish(await revert(context, id, command.optsWithGlobals())))
}
