import type { Command } from 'commander'
import { createSchedule, deleteSchedule, enableSchedule, listSchedules, showSchedule } from '../commands/schedules.ts'
import { type Adding, limitOption, yesOption } from './adding.ts'

const createHelp = `
It starts one thing: an agent with an input, an eval, or a distillation of runs (of --agent, if named).

Examples:
  noema schedules create --eval Tides --cron '0 3 * * *' --timezone Europe/Berlin
  noema schedules create --into handbook --agent Support --since-days 1 --cron @daily
  noema schedules create --agent Librarian --input 'What is new?' --cron '0 9 * * 1-5'`

/** Adds the commands about schedules. */
export const addScheduleCommands = ({ program, context, finish }: Adding): void => {
  const schedules = program
    .command('schedules')
    .description('Start agents, evals and distillations at set times (needs a management key)')
  schedules
    .command('list')
    .description('List the schedules of the organization')
    .option('--agent <agent>', 'only those of this agent, by name or id')
    .option('--eval <eval>', 'only those of this eval, by name or id')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listSchedules(context, command.optsWithGlobals())))
  schedules
    .command('show')
    .description('Show a schedule, and why it is paused')
    .argument('<id>', 'its id')
    .action(async (id: string, _, command: Command) =>
      finish(await showSchedule(context, id, command.optsWithGlobals())),
    )
  schedules
    .command('create')
    .description('Start something at set times')
    .requiredOption('--cron <expression>', 'when: minute, hour, day, month, weekday; or @hourly, @daily and so on')
    .option('--timezone <zone>', 'the time zone (default: UTC)')
    .option('--agent <agent>', 'the agent, by name or id')
    .option('--input <text>', 'what the agent is asked, or - for standard input')
    .option('--eval <eval>', 'the eval to run, by name or id')
    .option('--trials <count>', 'how often each case of an eval of an agent is run')
    .option('--into <handle>', 'the Brain that gets the lessons and skills of a distillation')
    .option('--since-days <days>', 'distill only the runs of the last so many days')
    .addHelpText('after', createHelp)
    .action(async (_, command: Command) => finish(await createSchedule(context, command.optsWithGlobals())))
  const acts = {
    pause: 'Stop a schedule for now',
    resume: 'Let a schedule go on; an eval or a distillation acts for you',
  }
  for (const [act, about] of Object.entries(acts))
    schedules
      .command(act)
      .description(about)
      .argument('<id>', 'its id')
      .action(async (id: string, _, command: Command) =>
        finish(await enableSchedule(context, { id, enabled: act === 'resume' }, command.optsWithGlobals())),
      )
  schedules
    .command('delete')
    .description('Delete a schedule; what it started goes on')
    .argument('<id>', 'its id')
    .option(...yesOption)
    .action(async (id: string, _, command: Command) =>
      finish(await deleteSchedule(context, id, command.optsWithGlobals())),
    )
}
