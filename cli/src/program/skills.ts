import type { Command } from 'commander'
import { deleteSkill, listSkills, pullSkill, pushSkill } from '../commands/skills.ts'
import { type Adding, brainOption, limitOption, readBrainOptions, yesOption } from './adding.ts'

const pushHelp = `
The folder has SKILL.md at its root, whose name is that of the folder. All its texts are the skill: files that are no longer there
are retired. Hidden files, node_modules and links are left out.

Examples:
  noema skills push ./pdf-forms --brain handbook
  noema skills push ./pdf-forms --corrects chg_… --reason 'The limit was wrong'`

/** Adds the commands about skills. */
export const addSkillCommands = ({ program, context, finish }: Adding): void => {
  const skills = program.command('skills').description('Skills of a Brain: folders of instructions for agents')
  skills
    .command('list')
    .description('List the skills of a Brain')
    .option(...brainOption)
    .option(...limitOption)
    .action(async (_, command: Command) => finish(await listSkills(context, readBrainOptions(context, command))))
  skills
    .command('push')
    .description('Write a folder as a skill')
    .argument('<folder>')
    .option(...brainOption)
    .option('--if-match <version>', 'only if the skill still has this version; none for a new one')
    .option('--corrects <change>', 'the change that this one corrects')
    .option('--reason <text>', 'why, for reviewers and for readers of the history')
    .addHelpText('after', pushHelp)
    .action(async (folder: string, _, command: Command) =>
      finish(await pushSkill(context, folder, readBrainOptions(context, command))),
    )
  skills
    .command('pull')
    .description('Write a skill into a folder')
    .argument('<name>')
    .argument('[folder]', 'the folder (default: one with the name of the skill)')
    .option(...brainOption)
    .option('--overwrite', 'replace files that differ')
    .option('--as-of <state>', 'as it was at this state version')
    .action(async (name: string, folder: string | undefined, _, command: Command) =>
      finish(await pullSkill(context, { name, folder }, readBrainOptions(context, command))),
    )
  skills
    .command('delete')
    .description('Delete a skill; its earlier versions can still be read')
    .argument('<name>')
    .option(...brainOption)
    .option(...yesOption)
    .action(async (name: string, _, command: Command) =>
      finish(await deleteSkill(context, name, readBrainOptions(context, command))),
    )
}
