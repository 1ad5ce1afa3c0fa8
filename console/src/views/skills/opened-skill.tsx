import type { SkillWithFiles } from '@noema/contracts/skills.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyId } from '../../components/copy-id.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { skillFileQuery, skillQuery } from '../../data/skills.ts'
import { useSession } from '../../session/session.tsx'
import '../../styles/record.css'
import '../../styles/skills.css'

/** The value of the address for the list of all skills: no name of a skill. */
export const allSkills = '*'

const mainFile = 'SKILL.md'

/** The text below the frontmatter, whose fields are shown above. */
const cutFrontmatter = (text: string): string =>
  text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/, '')

/** The text with links to other files of the skill, which are relative to its folder, as links of this page. */
const linkFiles = (text: string, { name, files }: SkillWithFiles): string => {
  const known = new Set(files.map(({ path }) => path))
  return text.replace(/\]\((?:\.\/)?([^()\s]+)\)/g, (whole, path: string) =>
    known.has(path) ? `](?skill=${name}&file=${encodeURIComponent(path)})` : whole,
  )
}

const SkillText = ({ handle, skill, path }: { handle: string; skill: SkillWithFiles; path: string }) => {
  const { name } = skill
  const { data, error } = useQuery(skillFileQuery(useSession(), handle, name, path))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton />
  const { text, contentType, documentId, version } = data.file
  return (
    <article className="skill-text" aria-label={path}>
      <p className="about">
        <span>version {version}</span>
        <Link to="/brains/$handle/documents/$id" params={{ handle, id: documentId }}>
          Versions and editing
        </Link>
      </p>
      {contentType === 'text/markdown' ? (
        <Markdown text={linkFiles(path === mainFile ? cutFrontmatter(text) : text, skill)} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by the keyboard
        <pre tabIndex={0}>{text}</pre>
      )}
    </article>
  )
}

const Files = ({ handle, skill, path }: { handle: string; skill: SkillWithFiles; path: string }) => (
  <nav aria-label="Files of the skill" className="skill-files">
    {skill.files.map((file) => (
      <Link
        key={file.path}
        to="/brains/$handle/documents"
        params={{ handle }}
        search={{ skill: skill.name, file: file.path }}
        aria-current={file.path === path ? 'page' : undefined}
      >
        {file.path}
      </Link>
    ))}
  </nav>
)

const Facts = ({ skill }: { skill: SkillWithFiles }) => {
  const { license, compatibility, metadata = {}, skillVersionId } = skill
  const own = Object.entries(metadata).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  return (
    <KeyValues
      layout="row"
      items={[
        ['Version', <CopyId key="version" id={skillVersionId} />],
        ...(license === undefined ? [] : [['License', license] as const]),
        ...(compatibility === undefined ? [] : [['Compatibility', compatibility] as const]),
        ...own,
      ]}
    />
  )
}

/** One skill: what it says about itself, and its files. */
export const OpenedSkill = ({ handle, name, file }: { handle: string; name: string; file: string | undefined }) => {
  const { data, error } = useQuery(skillQuery(useSession(), handle, name))
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton />
  const { skill } = data
  const path = file ?? skill.files.find((one) => one.path === mainFile)?.path ?? skill.files[0]?.path
  return (
    <>
      <div className="record-head">
        <h2>{skill.name}</h2>
        <p>{skill.description}</p>
      </div>
      {skill.problem !== undefined && (
        <Notice tone="warning">
          <p>Agents do not get this skill. {skill.problem}</p>
        </Notice>
      )}
      <Facts skill={skill} />
      <div className="skill">
        <Files handle={handle} skill={skill} path={path ?? ''} />
        {path !== undefined && <SkillText handle={handle} skill={skill} path={path} />}
      </div>
    </>
  )
}
