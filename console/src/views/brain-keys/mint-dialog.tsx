import type { Capability } from '@noema/contracts/access.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { mintBrainKeyCode } from '../../code/examples.ts'
import { Checkbox } from '../../components/choices.tsx'
import { ViewAsCode } from '../../components/code.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { NewSecret } from '../../components/secret.tsx'
import { allCapabilities, brainKeysKey, capabilityWords } from '../../data/brain-keys.ts'
import { useSession } from '../../session/session.tsx'

type ChoicesProps = { chosen: readonly Capability[]; onChange: (chosen: Capability[]) => void }

/** The capabilities of a key, each with an explanation. */
const Capabilities = ({ chosen, onChange }: ChoicesProps) => (
  <fieldset className="explained-choices">
    <legend>Capabilities</legend>
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

type Values = { name: string; capabilities: Capability[] }

const useMint = ({ handle, onMinted }: MintProps) => {
  const session = useSession()
  const queries = useQueryClient()
  return useContractForm({
    initial: { name: '', capabilities: ['read'] } as Values,
    contract: async () => (await import('@noema/contracts/keys.ts')).mintBrainKey.body,
    toBody: ({ name, capabilities }) => {
      if (capabilities.length === 0) throw new FieldProblem('capabilities', 'Select at least one capability.')
      return { name: name.trim(), capabilities }
    },
    submit: async (body) => {
      const { secret } = await session.client.brain(handle).keys.mint(body)
      await queries.invalidateQueries({ queryKey: brainKeysKey(session, handle) })
      if (secret !== null) onMinted(secret)
    },
  })
}

const MintForm = (props: MintProps) => {
  const { user, organization } = useSession()
  const form = useMint(props)
  const capabilities = useFormValue(form, 'capabilities')
  return (
    <>
      <Form form={form} submit="Mint key" onCancel={props.onClose}>
        <form.Text
          label="Name"
          name="name"
          hint="The agent or program that uses the key, such as support-agent. Give each its own key, so that you can revoke it alone."
          required
          autoComplete="off"
        />
        <form.Field name="capabilities">
          {({ value, set }) => <Capabilities chosen={value} onChange={set} />}
        </form.Field>
      </Form>
      <ViewAsCode
        example={mintBrainKeyCode({
          ...{ baseUrl, handle: props.handle, organizationId: organization.id, email: user.email },
          ...{ name: 'support-agent', capabilities },
        })}
      />
    </>
  )
}

/** Creates a key of a Brain and shows its secret once. */
export const MintDialog = ({ handle, onClose }: { handle: string; onClose: () => void }) => {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      isOpen
      title={secret === undefined ? `New key for ${handle}` : 'Key minted'}
      description={
        secret === undefined && 'A Brain key works for this Brain only, with the capabilities that you select.'
      }
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
