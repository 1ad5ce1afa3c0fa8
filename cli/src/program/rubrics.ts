import type { Command } from 'commander'
import { deleteRubric, listRubrics, pushRubric, showRubric } from '../commands/rubrics.ts'
import { type Adding, limitOption, yesOption } from './adding.ts'

const pushHelp = `
The file is a JSON list of criteria, each with an id, a text, and if you like a weight and required.

Example:
  echo '[{ "id": "sources", "text": "The answer names its sources.", "required": true }]' | noema rubrics push sourced -`

/** Adds the commands about rubrics. */
export const addRubricCommands = ({ program, context, finish }: Adding): void => {
  const rubrics = program
    .command('rubrics')
    .description('Criteria by which a model judges answers in evals (need a management key)')
  rubrics
    .command('list')
    .description('List the rubrics of the organization and of the service')
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listRubrics(context, command.optsWithGlobals())))
  rubrics
    .command('show')
    .description('Show the criteria of a rubric')
    .argument('<name>')
    .action(async (name: string, _, command: Command) =>
      finish(await showRubric(context, name, command.optsWithGlobals())),
    )
  rubrics
    .command('push')
    .description('Store a file of criteria as a rubric, or as its next version')
    .argument('<name>')
    .argument('<file>', 'a file of JSON, or - for standard input')
    .addHelpText('after', pushHelp)
    .action(async (name: string, file: string, _, command: Command) =>
      finish(await pushRubric(context, { name, file }, command.optsWithGlobals())),
    )
  rubrics
    .command('delete')
    .description('Delete a rubric with its versions')
    .argument('<name>')
    .option(...yesOption)
    .action(async (name: string, _, command: Command) =>
      finish(await deleteRubric(context, name, command.optsWithGlobals())),
    )
}
