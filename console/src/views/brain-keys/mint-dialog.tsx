import type { Capability } from '@noema/contracts/access.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { mintBrainKeyCode } from '../../code/examples.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { allCapabilities, brainKeysKey, capabilityWords } from '../../data/brain-keys.ts'
import { useSession } from '../../session/session.tsx'

type ChoicesProps = { chosen: readonly Capability[]; onChange: (chosen: Capability[]) => void }

/** What the key may do, each in words. */
const Capabilities = ({ chosen, onChange }: ChoicesProps) => (
  <fieldset className="explained-choices">
    <legend>What it may do</legend>
    {allCapabilities.map((capability) => (
      <Checkbox
        key={capability}
        checked={chosen.includes(capability)}
        onChange={(isOn) =>
          onChange(allCapabilities.filter((one) => (one === capability ? isOn : chosen.includes(one))))
        }
        label={
          <>
            <strong>{capability}</strong> <small>{capabilityWords[capability]}</small>
          </>
        }
      />
    ))}
  </fieldset>
)

type MintProps = { handle: string; onMinted: (secret: string) => void; onClose: () => void }

const MintForm = ({ handle, onMinted, onClose }: MintProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [chosen, setChosen] = useState<Capability[]>(['read'])
  const mint = async (form: FormData) => {
    if (chosen.length === 0) throw new Error('Choose at least one thing that the key may do.')
    const name = textIn(form, 'name').trim()
    const { secret } = await session.client.brain(handle).keys.mint({ name, capabilities: chosen })
    await queries.invalidateQueries({ queryKey: brainKeysKey(session, handle) })
    if (secret !== null) onMinted(secret)
  }
  const { user, organization } = session
  return (
    <>
      <Form submit="Mint key" onSubmit={mint} aside={<Button onClick={onClose}>Cancel</Button>}>
        <TextInput
          label="Name"
          name="name"
          hint="Who or what uses it, such as support-agent. One key for each, so that each can be ended by itself."
          required
          maxLength={200}
          pattern=".*\S.*"
          autoComplete="off"
        />
        <Capabilities chosen={chosen} onChange={setChosen} />
      </Form>
      <ViewAsCode
        example={mintBrainKeyCode({
          ...{ baseUrl, handle, organizationId: organization.id, email: user.email },
          ...{ name: 'support-agent', capabilities: chosen },
        })}
      />
    </>
  )
}

/** Mints a key of a Brain, and shows its secret the only time that it is seen. */
export const MintDialog = ({ handle, onClose }: { handle: string; onClose: () => void }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      isOpen
      title={secret === undefined ? `New key for ${handle}` : 'The key is minted'}
      description={secret === undefined && 'A Brain key reaches this Brain alone, and only what you tick.'}
      onClose={onClose}
    >
      {secret === undefined ? (
        <MintForm handle={handle} onMinted={setSecret} onClose={onClose} />
      ) : (
        <NewSecret secret={secret} onKept={onClose} />
      )}
    </Dialog>
  )
}
