import type { Project } from '@noema/contracts/projects.ts'
import { useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { useSession } from '../../session/session.tsx'

const useRefresh = () => {
  const { organization } = useSession()
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: [organization.id, 'projects'] })
}

type ProjectFormProps = { project: Project | undefined; onClose: () => void }

const ProjectForm = ({ project, onClose }: ProjectFormProps) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const form = useContractForm({
    initial: { name: project?.name ?? '' },
    contract: async () => (await import('@noema/contracts/projects.ts')).createProject.body,
    toBody: ({ name }) => ({ name: name.trim() }),
    submit: async (body) => {
      await (project ? client.projects.patch(project.id, body) : client.projects.create(body))
      await refresh()
      onClose()
    },
  })
  return (
    <Form form={form} submit={project ? 'Rename' : 'Create project'} onCancel={onClose}>
      <form.Text label="Name" name="name" required autoComplete="off" maxLength={200} />
    </Form>
  )
}

/** Creates a project, or renames one. */
export const ProjectDialog = ({ project, onClose }: ProjectFormProps) => (
  <Dialog isOpen title={project ? `Rename ${project.name}` : 'New project'} size="small" onClose={onClose}>
    <ProjectForm project={project} onClose={onClose} />
  </Dialog>
)

/** Archives a project. */
export const ArchiveProject = ({ project, onClose }: { project: Project; onClose: () => void }) => {
  const { client } = useSession()
  const refresh = useRefresh()
  const archive = async () => {
    await client.projects.delete(project.id)
    await refresh()
  }
  return (
    <ConfirmDialog isOpen title={`Archive ${project.name}?`} confirm="Archive" onConfirm={archive} onClose={onClose}>
      <p>Nothing new can be created in it, and its agents start no new runs in it. What it has stays readable.</p>
      <p>An archived project cannot be restored.</p>
    </ConfirmDialog>
  )
}
