import type { Command } from 'commander'
import { deleteFile, downloadFile, linkFile, listFiles, readFileText, uploadFile } from '../commands/files.ts'
import { type Adding, limitOption } from './adding.ts'

const uploadHelp = `
Examples:
  noema files upload q3.pdf --path reports/q3.pdf
  noema files upload q3.pdf --path reports/q3.pdf --brain finance`

const versionOption = ['--file-version <number>', 'this version (default: the current one)'] as const
const fileArgument = ['<file>', 'its path or its id'] as const

const addReading = (files: Command, { context, finish }: Adding): void => {
  files
    .command('list')
    .description('List files, or the versions of one')
    .argument('[prefix]', 'only paths that begin with this, such as reports/')
    .option('--versions <file>', 'list the versions of this file instead')
    .option('--run <run>', 'only files that this run wrote')
    .option(...limitOption)
    .action(async (prefix: string | undefined, _, command: Command) =>
      finish(await listFiles(context, prefix, command.optsWithGlobals())),
    )
  files
    .command('download')
    .description('Download a file')
    .argument(...fileArgument)
    .option('--output <file>', 'where to write it, or - for standard output (default: its name, if that is free)')
    .option(...versionOption)
    .action(async (file: string, _, command: Command) =>
      finish(await downloadFile(context, file, command.optsWithGlobals())),
    )
  files
    .command('text')
    .description('Print the text of a file, also of a PDF or an Office file, as Markdown')
    .argument(...fileArgument)
    .option('--page <number>', 'only this page')
    .option(...versionOption)
    .action(async (file: string, _, command: Command) =>
      finish(await readFileText(context, file, command.optsWithGlobals())),
    )
}

/** Adds the commands about files of the organization. */
export const addFileCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const files = program.command('files').description('Files of the organization')
  files
    .command('upload')
    .description('Upload a file as a new version of the one at its path, and print its id')
    .argument('<file>')
    .option('--path <path>', 'its path in the organization (default: the name of the file)')
    .option('--content-type <type>', 'its media type (default: by the name of the file)')
    .option('--brain <handle>', 'make a document of its text in this Brain')
    .option('--id <id>', "that document's id (default: the path)")
    .addHelpText('after', uploadHelp)
    .action(async (file: string, _, command: Command) =>
      finish(await uploadFile(context, file, command.optsWithGlobals())),
    )
  addReading(files, adding)
  files
    .command('delete')
    .description('Delete a file with all its versions; documents with its text stay')
    .argument(...fileArgument)
    .option('--file-version <number>', 'only this earlier version')
    .option('--yes', 'without a question')
    .action(async (file: string, _, command: Command) =>
      finish(await deleteFile(context, file, command.optsWithGlobals())),
    )
  files
    .command('link')
    .description('Print a link by which anyone can download a file for a while')
    .argument(...fileArgument)
    .option('--seconds <number>', 'for how many seconds, up to 3600 (default: 600)')
    .option(...versionOption)
    .action(async (file: string, _, command: Command) =>
      finish(await linkFile(context, file, command.optsWithGlobals())),
    )
}
