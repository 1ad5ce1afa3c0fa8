import type { Command } from 'commander'
import { listDerivedPages, setDerivedPage, showDerivedPage, stopDerivedPage } from '../commands/derived-pages.ts'
import { type Adding, brainOption, limitOption, readBrainOptions, yesOption } from './adding.ts'

const setHelp = `
The agent writes the document from a question, or about some items, and writes it again when a write or a correction affects what it
read. Each rewrite waits for review.

Examples:
  noema derived set status --agent Librarian --question 'Which ships are late, and why?' --brain harbor
  noema derived set ada --agent Librarian --item record:ada --item document:monday`

/** Adds the commands about derived pages. */
export const addDerivedPageCommands = ({ program, context, finish }: Adding): void => {
  const derived = program
    .command('derived')
    .description('Documents that agents keep up to date (needs a management key)')
  derived
    .command('list')
    .description('List the derived pages of a Brain')
    .option(...brainOption)
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listDerivedPages(context, readBrainOptions(context, command))))
  derived
    .command('show')
    .description('Show what a document is made from, and its latest rewrites')
    .argument('<document>', 'its id')
    .option(...brainOption)
    .action(async (id: string, _, command: Command) =>
      finish(await showDerivedPage(context, id, readBrainOptions(context, command))),
    )
  derived
    .command('set')
    .description('Let an agent keep a document up to date')
    .argument('<document>', 'its id')
    .requiredOption('--agent <agent>', 'the agent that writes it, by name or id')
    .option('--question <text>', 'the question that the page answers')
    .option('--item <items...>', 'the items that the page is about, as type:id')
    .option(...brainOption)
    .addHelpText('after', setHelp)
    .action(async (id: string, _, command: Command) =>
      finish(await setDerivedPage(context, id, readBrainOptions(context, command))),
    )
  derived
    .command('stop')
    .description('Stop the rewrites of a document, which stays')
    .argument('<document>', 'its id')
    .option(...brainOption)
    .option(...yesOption)
    .action(async (id: string, _, command: Command) =>
      finish(await stopDerivedPage(context, id, readBrainOptions(context, command))),
    )
}
