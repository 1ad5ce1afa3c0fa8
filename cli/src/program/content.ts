import type { Command } from 'commander'
import { deleteDocument, listDocuments, putDocument, showDocument } from '../commands/documents.ts'
import { deleteRecord, listRecords, mergeRecord, patchRecord, putRecord, showRecord } from '../commands/records.ts'
import { importRecords } from '../commands/records-import.ts'
import { type Adding, brainOption, collect, keyOption, limitOption } from './adding.ts'

const asOfOption = ['--as-of <state>', 'as it was at this state version'] as const
const ifMatchOption = ['--if-match <version>', 'only if this version is the current one (else exit code 5)'] as const

const expiresOption = ['--expires <time>', 'when it is deleted or retired, in ISO 8601; never clears it'] as const

const putRecordHelp = `
Values of --set are JSON if they parse as JSON, else text: --set age=36 is a number, --set 'name="36"' is a text. A file has
what POST /v1/brains/{handle}/records takes: kind, slug, fields, links, expiresAt, provenance.

Examples:
  noema records put --brain crm --kind person --slug ada --set name=Ada --set born=1815
  noema records put rec_… --brain crm --file ada.json
  echo '{"kind": "person", "fields": {"name": "Ada"}}' | noema records put --brain crm --file -`

const putDocumentHelp = `
Examples:
  noema documents put notes.md --brain handbook
  git log -20 | noema documents put - --brain handbook --id git/log --title 'Latest commits'`

const importHelp = `
Each line of a .jsonl file is the fields of a record; the first line of a .csv file names the columns, and an empty cell is no
field. A column is read as numbers or as true and false if all of its values are written so; 007 stays text. --types says
otherwise: --types zip:string,amount:number (string, number, integer, boolean, json).

The ids of the records follow from the rows, so importing a file again changes only what changed in it. After an interruption
--resume continues behind the last batch. Rejected rows are listed in <file>.rejected.jsonl with line and reason, the others are
written; then the exit code is 6.

Examples:
  noema records import orders.csv --brain shop --kind order --slug orderId
  noema records import orders.jsonl --brain shop --kind order --slug orderId --resume --json`

const addRecordImport = (records: Command, { context, finish }: Adding): void => {
  records
    .command('import')
    .description('Write the rows of a .jsonl or .csv file as records')
    .argument('<file>')
    .option(...brainOption)
    .requiredOption('--kind <kind>', 'the kind of the records')
    .option('--slug <field>', 'the field that names a record: its slug, and its id after the kind')
    .option('--id <field>', 'the field with the id (default: from the slug, or from the row)')
    .option('--types <types>', 'types of columns, as name:type, separated by commas')
    .option('--resume', 'continue an interrupted import')
    .addHelpText('after', importHelp)
    .action(async (file: string, _, command: Command) =>
      finish(await importRecords(context, file, command.optsWithGlobals())),
    )
}

const addRecordWrites = (records: Command, { context, finish }: Adding): void => {
  records
    .command('put')
    .description('Create a record, or replace the one with this id as a whole')
    .argument('[id]', 'its id (default: a new one)')
    .option(...brainOption)
    .option('--kind <kind>', 'its kind, such as person')
    .option('--slug <slug>', 'a name that is unique among the records of its kind')
    .option('--set <name=value>', 'a field; may be repeated', collect)
    .option(...expiresOption)
    .option('--file <file>', 'a JSON file, or - for standard input')
    .option(...ifMatchOption)
    .option(...keyOption)
    .addHelpText('after', putRecordHelp)
    .action(async (id: string | undefined, _, command: Command) =>
      finish(await putRecord(context, id, command.optsWithGlobals())),
    )
  records
    .command('patch')
    .description('Change some fields of a record and leave the others')
    .argument('<id>')
    .option(...brainOption)
    .option('--kind <kind>', 'its new kind')
    .option('--slug <slug>', 'its new slug')
    .option('--set <name=value>', 'a field; may be repeated', collect)
    .option('--unset <name>', 'remove a field; may be repeated', collect)
    .option(...expiresOption)
    .option('--file <file>', 'a JSON file with the changes, or - for standard input')
    .option(...ifMatchOption)
    .option(...keyOption)
    .action(async (id: string, _, command: Command) =>
      finish(await patchRecord(context, id, command.optsWithGlobals())),
    )
  records
    .command('merge')
    .description('Merge a record into another one: it moves fields, links and statements, and its id leads there')
    .argument('<id>', 'the record that is merged')
    .argument('<into>', 'the record that remains')
    .option(...brainOption)
    .option('--keep <name>', "a field whose value stays the merged record's; may be repeated", collect)
    .option('--reason <text>', 'why, for reviewers and for readers of the history')
    .option(...ifMatchOption)
    .option(...keyOption)
    .action(async (id: string, into: string, _, command: Command) =>
      finish(await mergeRecord(context, id, { ...command.optsWithGlobals(), into })),
    )
  records
    .command('delete')
    .description('Delete a record; its history can still be read')
    .argument('<id>')
    .option(...brainOption)
    .option(...ifMatchOption)
    .option(...keyOption)
    .action(async (id: string, _, command: Command) =>
      finish(await deleteRecord(context, id, command.optsWithGlobals())),
    )
}

/** Adds the commands about records. */
export const addRecordCommands = (adding: Adding): void => {
  const { program, context, finish } = adding
  const records = program.command('records').description('Records of a Brain')
  records
    .command('list')
    .description('List records')
    .option(...brainOption)
    .option('--kind <kind>', 'only of this kind')
    .option('--slug <slug>', 'only with this slug')
    .option('--links-to <id>', 'only those that link to this record')
    .option(...asOfOption)
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listRecords(context, command.optsWithGlobals())))
  records
    .command('show')
    .description('Show a record')
    .argument('<id>')
    .option(...brainOption)
    .option(...asOfOption)
    .option('--history', 'list its versions instead')
    .action(async (id: string, _, command: Command) => finish(await showRecord(context, id, command.optsWithGlobals())))
  addRecordWrites(records, adding)
  addRecordImport(records, adding)
}

/** Adds the commands about documents. */
export const addDocumentCommands = ({ program, context, finish }: Adding): void => {
  const documents = program.command('documents').description('Documents of a Brain')
  documents
    .command('list')
    .description('List documents, or the versions of one')
    .option(...brainOption)
    .option('--source <name>', 'only of this source')
    .option('--versions <id>', 'list the versions of this document instead')
    .option(...asOfOption)
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listDocuments(context, command.optsWithGlobals())))
  documents
    .command('show')
    .description('Print the text of a document')
    .argument('<id>')
    .option(...brainOption)
    .option('--doc-version <number>', 'this version (default: the current one)')
    .option(...asOfOption)
    .action(async (id: string, _, command: Command) =>
      finish(await showDocument(context, id, command.optsWithGlobals())),
    )
  documents
    .command('put')
    .description('Write a file as a document: a new one, or a new version')
    .argument('<file>', 'a text file, or - for standard input')
    .option(...brainOption)
    .option('--id <id>', "the document's id (default: the name of the file; of standard input the hash of the text)")
    .option('--title <title>', 'its title')
    .option('--content-type <type>', 'its content type (default: by the name of the file)')
    .option('--meta <name=value>', 'metadata; may be repeated', collect)
    .option(...expiresOption)
    .option(...ifMatchOption)
    .option(...keyOption)
    .addHelpText('after', putDocumentHelp)
    .action(async (file: string, _, command: Command) =>
      finish(await putDocument(context, file, command.optsWithGlobals())),
    )
  documents
    .command('delete')
    .description('Retire a document; its versions can still be read')
    .argument('<id>')
    .option(...brainOption)
    .option(...ifMatchOption)
    .option(...keyOption)
    .action(async (id: string, _, command: Command) =>
      finish(await deleteDocument(context, id, command.optsWithGlobals())),
    )
}
