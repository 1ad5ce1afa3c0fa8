import { type Command, Option } from 'commander'
import { cancelDistillation, distill, listDistillations, showDistillation } from '../commands/distill.ts'
import { type Adding, limitOption } from './adding.ts'

const runHelp = `
It waits for the end, and prints what was found and the changes that wait for review.

Examples:
  noema distill run --into handbook --agent Support
  noema distill run --into handbook --since 2026-11-01T00:00:00Z --outcome failed --produce lesson
  noema distill run --into handbook --since-days 1 --cron @daily --timezone Europe/Berlin`

/** Adds the commands about distillations. */
export const addDistillCommands = ({ program, context, finish }: Adding): void => {
  const distillations = program
    .command('distill')
    .description('Find lessons and skills in the journals of runs (need a management key)')
  distillations
    .command('run')
    .description('Distill runs into lessons and skills that wait for review')
    .requiredOption('--into <handle>', 'the Brain that gets them')
    .option('--agent <agent>', 'only runs of this agent, by name or id')
    .option('--run <ids...>', 'only these runs')
    .option('--since <time>', 'only runs that were started since')
    .option('--since-days <days>', 'only runs of the last so many days')
    .addOption(
      new Option('--outcome <outcomes...>', 'only runs that ended so').choices(['completed', 'failed', 'abandoned']),
    )
    .addOption(new Option('--produce <products...>', 'what to look for').choices(['lesson', 'skill']))
    .option('--model <agent>', 'the agent, by name or id, whose model words what was found')
    .option('--allow-wider', 'the Brain may have readers who cannot read the Brains of the runs')
    .option('--cron <expression>', 'start it again at these times, by a schedule')
    .option('--timezone <zone>', 'the time zone of --cron (default: UTC)')
    .option('--no-wait', 'do not wait for the end')
    .addHelpText('after', runHelp)
    .action(async (_, command: Command) => finish(await distill(context, command.optsWithGlobals())))
  distillations
    .command('list')
    .description('List the distillations of the organization')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listDistillations(context, command.optsWithGlobals())))
  distillations
    .command('show')
    .description('Show a distillation and what it found')
    .argument('<id>', 'its id')
    .action(async (id: string, _, command: Command) =>
      finish(await showDistillation(context, id, command.optsWithGlobals())),
    )
  distillations
    .command('cancel')
    .description('Cancel a distillation; what it staged stays')
    .argument('<id>', 'its id')
    .action(async (id: string, _, command: Command) =>
      finish(await cancelDistillation(context, id, command.optsWithGlobals())),
    )
}
