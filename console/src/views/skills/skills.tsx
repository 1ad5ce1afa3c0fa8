import type { Skill } from '@noema/contracts/skills.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Status } from '../../components/badge.tsx'
import { Empty } from '../../components/empty.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { toTablePages } from '../../data/paging.ts'
import { skillPagesQuery } from '../../data/skills.ts'
import { useSession } from '../../session/session.tsx'
import '../../styles/documents.css'
import { allSkills, OpenedSkill } from './opened-skill.tsx'

type Props = { handle: string; skill: string; file: string | undefined }

const toColumns = (handle: string): Column<Skill>[] => [
  {
    key: 'name',
    title: 'Skill',
    width: 130,
    cell: ({ name }) => (
      <Link to="/brains/$handle/documents" params={{ handle }} search={{ skill: name }} className="row-link">
        {name}
      </Link>
    ),
  },
  {
    key: 'description',
    title: 'Description',
    cell: ({ description, problem }) =>
      problem === undefined ? description : <Status state="not used" tone="warning" />,
  },
  { key: 'files', title: 'Files', width: 80, align: 'end', isWide: true, cell: ({ files }) => files },
]

const SkillList = ({ handle }: { handle: string }) => {
  const query = useInfiniteQuery(skillPagesQuery(useSession(), handle))
  const skills = useMemo(() => query.data?.pages.flatMap((page) => page.skills), [query.data])
  const columns = useMemo(() => toColumns(handle), [handle])
  return (
    <DataTable
      label="Skills"
      columns={columns}
      rows={skills}
      toId={({ name }) => name}
      empty={
        <Empty title="No skills yet">
          <p>
            A skill is a folder of instructions for agents, with a SKILL.md. Push one:{' '}
            <code>noema skills push ./my-skill --brain {handle}</code>
          </p>
        </Empty>
      }
      {...toTablePages(query)}
    />
  )
}

/** The skills of a Brain: a list, or one with its files. */
export const Skills = ({ handle, skill, file }: Props) => (
  <section aria-label="Skills" className="documents">
    <div className="records-bar">
      <div className="actions">
        {skill !== allSkills && (
          <LinkButton to="/brains/$handle/documents" params={{ handle }} search={{ skill: allSkills }} size="small">
            All skills
          </LinkButton>
        )}
        <LinkButton to="/brains/$handle/documents" params={{ handle }} search={{}} size="small">
          All documents
        </LinkButton>
      </div>
    </div>
    {skill === allSkills ? <SkillList handle={handle} /> : <OpenedSkill handle={handle} name={skill} file={file} />}
  </section>
)
