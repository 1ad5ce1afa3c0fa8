import { type Command, Option } from 'commander'
import { importEval, listEvals, runEval, showEval } from '../commands/evals.ts'
import { type Adding, limitOption } from './adding.ts'

const runHelp = `
It waits for the end, and prints the score, the difference from the run before, and the first cases that failed. Exit code 9: the
score is below --fail-under, or the run failed or was canceled.

Examples:
  noema evals run 'Support answers' --fail-under 0.9
  noema evals run 'Support answers' --as-of 412 --json
  noema evals run 'Handbook questions' --change chg_… --fail-under 1`

const importHelp = `
A file is a configuration of promptfoo (YAML), an eval of OpenAI (JSON), or its rows (JSON lines). Parts without a counterpart are
reported and left out.

Examples:
  noema evals import promptfooconfig.yaml --agent Support
  noema evals import samples.jsonl --brain handbook --name 'Handbook questions'`

/** Adds the commands about evals. */
export const addEvalCommands = ({ program, context, finish }: Adding): void => {
  const evals = program.command('evals').description('Test agents, Brains and corpora by cases (need a management key)')
  evals
    .command('list')
    .description('List the evals of the organization')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listEvals(context, command.optsWithGlobals())))
  evals
    .command('show')
    .description('Show an eval and its latest runs')
    .argument('<eval>', 'its name or id')
    .action(async (given: string, _, command: Command) =>
      finish(await showEval(context, given, command.optsWithGlobals())),
    )
  evals
    .command('run')
    .description('Run an eval')
    .argument('<eval>', 'its name or id')
    .option('--fail-under <score>', 'exit code 9 if the score is less, from 0 to 1')
    .option('--as-of <state>', 'read the Brain as it was at this state')
    .option('--trials <count>', 'how often each case of an agent is run, 1 to 5 (default: 1)')
    .option('--baseline <run>', 'the run to compare with (default: the last completed one)')
    .option('--no-wait', 'do not wait for the end')
    .option('--change <change>', 'read as if this pending change were published')
    .addHelpText('after', runHelp)
    .action(async (given: string, _, command: Command) =>
      finish(await runEval(context, given, command.optsWithGlobals())),
    )
  evals
    .command('import')
    .description('Make an eval of a file')
    .argument('<file>', 'the file, or - for standard input')
    .option('--name <name>', 'the name of the eval (default: that of the file)')
    .option('--agent <agent>', 'test this agent, by name or id')
    .option('--brain <handle>', 'test reads of this Brain')
    .option('--corpus <name>', 'test reads of this corpus')
    .addOption(new Option('--read <how>', 'how it is read').choices(['search', 'context']).default('search'))
    .option('--dry-run', 'print the cases and graders, and make nothing')
    .addHelpText('after', importHelp)
    .action(async (file: string, _, command: Command) =>
      finish(await importEval(context, file, command.optsWithGlobals())),
    )
}
