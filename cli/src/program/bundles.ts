import type { Command } from 'commander'
import { pullBundle, pushBundle } from '../commands/bundles.ts'
import { type Adding, brainOption, readBrainOptions } from './adding.ts'

const pushHelp = `
The files are Markdown with frontmatter, in the Open Knowledge Format. Nothing is deleted from the Brain. Hidden files, node_modules
and links of a folder are left out. A large bundle is written as several changes.

Examples:
  noema bundle push ./handbook --brain handbook --plan
  noema bundle push ./handbook --brain handbook --review --reason 'Edits of October'`

/** Adds the commands about bundles. */
export const addBundleCommands = ({ program, context, finish }: Adding): void => {
  const bundle = program.command('bundle').description('A part of a Brain as a folder of Markdown files')
  bundle
    .command('pull')
    .description('Write a part of a Brain into a folder')
    .argument('[folder]', 'the folder (default: one with the handle of the Brain)')
    .option(...brainOption)
    .option('--kinds <kinds>', 'only records of these kinds, separated by commas')
    .option('--sources <sources>', 'only documents of these sources, separated by commas')
    .option('--as-of <state>', 'as it was at this state version')
    .option('--output <file>', 'save the archive (.tar.gz) instead')
    .option('--overwrite', 'replace files that differ')
    .action(async (folder: string | undefined, _, command: Command) =>
      finish(await pullBundle(context, folder, readBrainOptions(context, command))),
    )
  bundle
    .command('push')
    .description('Write a folder or an archive of Markdown files to a Brain')
    .argument('<path>', 'a folder, a .tar or a .tar.gz')
    .option(...brainOption)
    .option('--plan', 'only show the effect')
    .option('--overwrite', 'also write over what changed in the Brain since the pull')
    .option('--review', 'let the change wait for review in any mode of the Brain')
    .option('--source <name>', 'the source of documents that were not pulled (default: the name of the folder)')
    .option('--reason <text>', 'why, for reviewers and for readers of the history')
    .addHelpText('after', pushHelp)
    .action(async (path: string, _, command: Command) =>
      finish(await pushBundle(context, path, readBrainOptions(context, command))),
    )
}
