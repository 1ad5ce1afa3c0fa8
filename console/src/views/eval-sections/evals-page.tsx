import '../../styles/runs.css'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHeader } from '../../components/page-header.tsx'
import { AgentTabs } from '../agents/agent-tabs.tsx'

// The lists of the page of evals: each is a section with its address in the search parameter `open`.

const sections = [
  { open: undefined, title: 'Evals' },
  { open: 'rubrics', title: 'Rubrics' },
  { open: 'goals', title: 'Goals' },
  { open: 'distillations', title: 'Distillations' },
] as const

type Section = (typeof sections)[number]['open']

type Props = { section: Section; lead?: ReactNode; actions?: ReactNode; children: ReactNode }

/** A section of the page of evals. */
export const EvalsPage = ({ section, lead, actions, children }: Props) => (
  <div className="page stack">
    <PageHeader title={sections.find(({ open }) => open === section)?.title} lead={lead} actions={actions} />
    <AgentTabs />
    <nav className="sections" aria-label="Of evals">
      {sections.map(({ open, title }) => (
        <Link key={title} to="/evals" search={open === undefined ? {} : { open }} activeOptions={{ exact: true }}>
          {title}
        </Link>
      ))}
    </nav>
    {children}
  </div>
)
