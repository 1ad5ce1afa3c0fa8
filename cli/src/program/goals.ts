import { goalState } from '@noema/contracts/goals.ts'
import { type Command, Option } from 'commander'
import { actOnGoal, createGoal, listGoals, showGoal } from '../commands/goals.ts'
import { type Adding, limitOption } from './adding.ts'

const createHelp = `
Criteria are graders, as in evals; each has its own value. --contains and --matches are short for two of them.

Examples:
  noema goals create 'Find the launch year of Voyager 1' --agent Librarian --contains 1977
  noema goals create 'Write the report' --agent Writer --criteria criteria.json --runs 5 --cost-cents 200`

/** Adds the commands about goals. */
export const addGoalCommands = ({ program, context, finish }: Adding): void => {
  const goals = program.command('goals').description('Let agents pursue goals in attempts (needs a management key)')
  goals
    .command('list')
    .description('List the goals of the organization')
    .addOption(new Option('--state <state>', 'only those in this state').choices(goalState.options))
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listGoals(context, command.optsWithGlobals())))
  goals
    .command('show')
    .description('Show a goal and its attempts')
    .argument('<goal>', 'its id')
    .action(async (id: string, _, command: Command) => finish(await showGoal(context, id, command.optsWithGlobals())))
  goals
    .command('create')
    .description('Give an agent a goal')
    .argument('<objective>', 'what the agent is asked to reach, or - for standard input')
    .requiredOption('--agent <agent>', 'the agent, by name or id')
    .option('--criteria <file>', 'a JSON file with a list of graders')
    .option('--contains <texts...>', 'the answer has all of these texts')
    .option('--matches <pattern>', 'the answer matches this regular expression')
    .option('--runs <count>', 'the most attempts (default: 10)')
    .option('--cost-cents <cents>', 'begin no attempt once they cost so much')
    .option('--until <time>', 'begin no attempt after this time, such as 2026-12-24T18:00:00Z')
    .addHelpText('after', createHelp)
    .action(async (objective: string, _, command: Command) =>
      finish(await createGoal(context, objective, command.optsWithGlobals())),
    )
  const acts = {
    pause: 'Begin no further attempt of a goal',
    resume: 'Go on with a goal that is paused or blocked',
    abandon: 'End a goal for good, and cancel its run',
  } as const
  for (const [act, about] of Object.entries(acts) as [keyof typeof acts, string][]) {
    const command = goals.command(act).description(about).argument('<goal>', 'its id')
    if (act === 'resume') command.option('--advice <text>', 'advice to the next attempt')
    command.action(async (id: string, _, given: Command) =>
      finish(await actOnGoal(context, { act, id }, given.optsWithGlobals())),
    )
  }
}
