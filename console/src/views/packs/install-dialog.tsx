import type { Pack } from '@noema/contracts/packs.ts'
import type { Client } from '@noema/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { RadioGroup } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { schemaQuery } from '../../data/schema.ts'
import { useBrainList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { Installed } from './installed.tsx'

type Answer = Awaited<ReturnType<Client['packs']['install']>>['installed']

type PlanProps = { pack: Pack; handle: string; isNew: boolean }

/** What an install would do, by what the Brain has now. */
const Plan = ({ pack, handle, isNew }: PlanProps) => {
  const { data } = useQuery({ ...schemaQuery(useSession(), handle), enabled: !isNew && handle !== '' })
  const declared = new Set(isNew ? [] : data?.schema.kinds.map(({ kind }) => kind))
  const there = pack.kinds.filter(({ kind }) => declared.has(kind)).map(({ kind }) => kind)
  const missing = pack.kinds.filter(({ kind }) => !declared.has(kind)).map(({ kind }) => kind)
  const { records, statements, documents } = pack.sample
  return (
    <section className="install-plan" aria-label="What it will do">
      <ul>
        {isNew && (
          <li>
            Makes the Brain <code>{handle || pack.name}</code>, in review mode.
          </li>
        )}
        <li>
          Makes {pack.agents.length === 1 ? 'the agent' : 'the agents'} {pack.agents.map(({ name }) => name).join(', ')}
          {pack.triggers.length > 0 && ` and the trigger ${pack.triggers.map(({ name }) => name).join(', ')}`} at once.
        </li>
        {missing.length > 0 && <li>Proposes the kinds {missing.join(', ')}: they wait for review.</li>}
        {there.length > 0 && <li>Leaves the kinds {there.join(', ')} as the Brain declares them.</li>}
        {records + statements + documents > 0 && <li>Proposes its sample content, which waits for review.</li>}
      </ul>
    </section>
  )
}

type Place = 'new' | 'existing'

const places = [
  { value: 'new', name: 'A new Brain' },
  { value: 'existing', name: 'A Brain that is there' },
] as const satisfies readonly { value: Place; name: string }[]

type FormProps = { pack: Pack; onInstalled: (answer: Answer) => void; onClose: () => void }

const useInstall = ({ pack, onInstalled }: FormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  return async (brain: string, model: string) => {
    const { installed } = await client.packs.install(pack.name, {
      ...(brain !== '' && { brain }),
      ...(model !== '' && { model }),
    })
    // It makes a Brain, agents, triggers and changes, and it is noted.
    await queries.invalidateQueries({ queryKey: [organization.id] })
    onInstalled(installed)
  }
}

const InstallForm = (props: FormProps) => {
  const { pack, onClose } = props
  const brains = useBrainList()
  const [place, setPlace] = useState<Place>('new')
  const [handle, setHandle] = useState(pack.name)
  const [existing, setExisting] = useState<string>()
  const install = useInstall(props)
  const isNew = place === 'new'
  const chosen = isNew ? handle.trim() : (existing ?? '')
  const send = async (form: FormData) => {
    if (chosen === '') throw new Error('Choose the Brain that it is installed on.')
    await install(chosen, textIn(form, 'model').trim())
  }
  return (
    <Form submit="Install" onSubmit={send} aside={<Button onClick={onClose}>Cancel</Button>}>
      <RadioGroup label="Where" options={places} value={place} onChange={setPlace} isSegments />
      {isNew ? (
        <TextInput
          label="Handle of the Brain"
          isMono
          required
          autoComplete="off"
          hint={
            brains?.some((brain) => brain.handle === chosen) ? 'This Brain is there already: it is used.' : undefined
          }
          value={handle}
          onChange={({ target }) => setHandle(target.value)}
        />
      ) : (
        <Combobox
          label="Brain"
          items={(brains ?? []).map((brain) => ({ value: brain.handle, name: brain.handle }))}
          value={existing}
          onChange={setExisting}
          placeholder="Choose a Brain"
        />
      )}
      <TextInput
        label="Model of its agents"
        name="model"
        isMono
        autoComplete="off"
        placeholder="noema/extractive"
        hint="provider/model. Left out, they quote what the Brain holds, without any provider."
      />
      <Plan pack={pack} handle={chosen} isNew={isNew} />
    </Form>
  )
}

/** Installs a pack: where, with which model, what that will do, and what it did. */
export const InstallDialog = ({ pack, onClose }: { pack: Pack; onClose: () => void }) => {
  const [answer, setAnswer] = useState<Answer>()
  return (
    <Dialog isOpen title={answer ? `Installed ${pack.title}` : `Install ${pack.title}`} onClose={onClose}>
      {answer ? (
        <Installed brain={answer.brain.handle} items={answer.items} onClose={onClose} />
      ) : (
        <InstallForm pack={pack} onInstalled={setAnswer} onClose={onClose} />
      )}
    </Dialog>
  )
}
