import { sharedParts } from '@noema/contracts/shared-runs.ts'
import { type Command, Option } from 'commander'
import { createAgent, listAgents, showAgent } from '../commands/agents.ts'
import { cancelRun, listRuns, runStates, showRun, startRun, watch } from '../commands/runs.ts'
import { listShares, revokeShare, shareRun } from '../commands/share-run.ts'
import { answerRun, answerTask, listTasks, taskStates } from '../commands/tasks.ts'
import { type Adding, keyOption, limitOption } from './adding.ts'
import { addPackCommands } from './packs.ts'

const startHelp = `
An agent is named by its id or its name. Without --wait or --follow the command ends when the run is started, and prints it.
Ctrl-C ends the waiting, never the run. Repeating the command with the same --key shows the first run instead of starting another.

Examples:
  noema runs start Librarian 'who leads Apollo?' --wait
  noema runs start Librarian 'tidy up the notes' --follow
  noema runs start agt_… 'who leads Apollo?' --json`

const watchHelp = `
Prints the text of the run to standard output as it is written, and its calls of tools to standard error. A question of the
run is asked at the terminal; elsewhere the command says how to answer it. A run that has ended is shown again.`

const createHelp = `
The file has what POST /v1/agents takes:
  {
    "name": "Librarian",
    "instructions": "Answer from the Brain, and cite what you read.",
    "model": "noema/extractive",
    "brains": [{ "handle": "docs", "access": "read_only" }]
  }`

const addRunCommands = (adding: Adding) => {
  const { program, context, finish } = adding
  const runs = program.command('runs').description('Runs of agents (need a management key)')
  runs
    .command('start')
    .description('Start a run of an agent')
    .argument('<agent>')
    .argument('<input>')
    .option('--conversation <id>', 'continue this conversation')
    .option('--wait', 'wait for the end and print the answer')
    .option('--follow', 'show the run as it happens')
    .addOption(new Option('--watch').hideHelp())
    .option(...keyOption)
    .addHelpText('after', startHelp)
    .action(async (agent: string, input: string, _, command: Command) =>
      finish(await startRun(context, [agent, input], command.optsWithGlobals())),
    )
  runs
    .command('follow')
    .alias('watch')
    .description('Show a run as it happens, and answer its questions')
    .argument('<run>')
    .addHelpText('after', watchHelp)
    .action(async (run: string, _, command: Command) => finish(await watch(context, run, command.optsWithGlobals())))
  runs
    .command('answer')
    .description('Answer the question of a run, which then continues')
    .argument('<run>', 'the run, or the task of its question')
    .argument('<answer>', 'an answer, or the number of a proposed one')
    .action(async (run: string, answer: string, _, command: Command) =>
      finish(await answerRun(context, [run, answer], command.optsWithGlobals())),
    )
  runs
    .command('cancel')
    .description('Cancel a run')
    .argument('<run>')
    .option('--reason <reason>', 'kept with the run')
    .action(async (run: string, _, command: Command) =>
      finish(await cancelRun(context, run, command.optsWithGlobals())),
    )
  runs
    .command('list')
    .description('List runs, the newest first')
    .option('--agent <agent>', 'only of this agent, by its id or its name')
    .addOption(new Option('--state <state>', 'only in this state').choices(runStates))
    .option('--conversation <id>', 'only in this conversation')
    .option('--limit <count>', 'maximum number of runs, 1 to 500 (default: 20)')
    .action(async (_, command: Command) => finish(await listRuns(context, command.optsWithGlobals())))
  runs
    .command('show')
    .description('Show the state of a run, and its answer')
    .argument('<run>')
    .action(async (run: string, _, command: Command) => finish(await showRun(context, run, command.optsWithGlobals())))
  addShareCommands(runs, adding)
}

const shareHelp = `
Anyone who has the link can read the answer without signing in, and the parts that --include names: input and citations by
default. The operator of the service has to allow it (NOEMA_SHARED_RUNS=true).

Examples:
  noema runs share run_… --days 30
  noema runs share run_… --include input messages`

const addShareCommands = (runs: Command, { context, finish }: Adding) => {
  runs
    .command('share')
    .description('Make a link by which anyone can read a run')
    .argument('<run>')
    .option('--days <count>', 'for how many days it works, 1 to 90 (default: 7)')
    .addOption(new Option('--include <parts...>', 'what it shows besides the answer').choices(sharedParts))
    .addHelpText('after', shareHelp)
    .action(async (run: string, _, command: Command) => finish(await shareRun(context, run, command.optsWithGlobals())))
  runs
    .command('links')
    .description('List the links to runs, or those to one run')
    .argument('[run]')
    .option(...limitOption)
    .action(async (run: string | undefined, _, command: Command) =>
      finish(await listShares(context, run, command.optsWithGlobals())),
    )
  runs
    .command('unshare')
    .description('Revoke a link to a run')
    .argument('<link>', 'its id, which `noema runs links` shows')
    .action(async (link: string, _, command: Command) =>
      finish(await revokeShare(context, link, command.optsWithGlobals())),
    )
}

const addTaskCommands = ({ program, context, finish }: Adding) => {
  const tasks = program.command('tasks').description('Questions of runs to people (needs a management key)')
  tasks
    .command('list')
    .description('List questions of runs')
    .addOption(new Option('--state <state>', 'only in this state').choices(taskStates).default('open'))
    .option('--run <run>', 'only of this run')
    .action(async (_, command: Command) => finish(await listTasks(context, command.optsWithGlobals())))
  tasks
    .command('answer')
    .description('Answer a question; its run continues')
    .argument('<task>')
    .argument('<answer>')
    .action(async (task: string, answer: string, _, command: Command) =>
      finish(await answerTask(context, [task, answer], command.optsWithGlobals())),
    )
}

/** Adds the commands about agents, their runs, and what runs ask. */
export const addAgentCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const agents = program.command('agents').description('Agents (need a management key)')
  agents
    .command('list')
    .description('List agents')
    .action(async (_, command: Command) => finish(await listAgents(context, command.optsWithGlobals())))
  agents
    .command('create')
    .description('Create an agent')
    .requiredOption('--file <file>', 'a JSON file, or - for standard input')
    .addHelpText('after', createHelp)
    .action(async (_, command: Command) => finish(await createAgent(context, command.optsWithGlobals())))
  agents
    .command('show')
    .description('Show an agent')
    .argument('<agent>')
    .action(async (agent: string, _, command: Command) =>
      finish(await showAgent(context, agent, command.optsWithGlobals())),
    )
  addRunCommands(adding)
  addTaskCommands(adding)
  addPackCommands(adding)
}
