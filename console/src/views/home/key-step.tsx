import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { mintBrainKeyCode } from '../../code/examples.ts'
import { ViewAsCode } from '../../components/code.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { NewSecret } from '../../components/secret.tsx'
import { useSession } from '../../session/session.tsx'
import { Step } from './step.tsx'

type Minted = { name: string; prefix: string; secret: string | undefined }
type ToMintProps = { handle: string; onMinted: (key: Minted) => void }

const ToMint = ({ handle, onMinted }: ToMintProps) => {
  const { client } = useSession()
  const mint = async (form: FormData) => {
    const name = textIn(form, 'name').trim()
    const { key, secret } = await client.brain(handle).keys.mint({ name, capabilities: ['read', 'write'] })
    onMinted({ name: key.name, prefix: key.prefix, secret: secret ?? undefined })
  }
  return (
    <>
      <p>Your code calls this Brain with a key of its own, which reads and writes here and nowhere else.</p>
      <Form submit="Mint key" onSubmit={mint}>
        <TextInput
          label="Name"
          name="name"
          defaultValue="first-agent"
          required
          maxLength={200}
          pattern=".*\S.*"
          autoComplete="off"
        />
      </Form>
    </>
  )
}

/** A key for the code that writes to the Brain. The pages themselves need none: the session acts. */
export const KeyStep = ({ handle }: { handle: string | undefined }) => {
  const { user, organization } = useSession()
  const [minted, setMinted] = useState<Minted>()
  const waiting = handle === undefined ? 'later' : 'now'
  return (
    <Step place={3} title="Mint a key for your code" state={minted ? 'done' : waiting}>
      {handle !== undefined && !minted && <ToMint handle={handle} onMinted={setMinted} />}
      {minted && (
        <p className="step-told">
          <strong>{minted.name}</strong> <code>{minted.prefix}…</code> reads and writes
        </p>
      )}
      {minted?.secret !== undefined && (
        <NewSecret secret={minted.secret} onKept={() => setMinted({ ...minted, secret: undefined })} />
      )}
      {handle !== undefined && (
        <ViewAsCode
          example={mintBrainKeyCode({
            baseUrl,
            handle,
            organizationId: organization.id,
            email: user.email,
            name: minted?.name ?? 'first-agent',
          })}
        />
      )}
    </Step>
  )
}
