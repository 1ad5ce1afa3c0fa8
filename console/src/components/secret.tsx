import { useState } from 'react'
import { baseUrl } from '../base-path.ts'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'
import { useLoss } from './use-kept-typing.tsx'

const downloadEnv = (url: string, secret: string) => {
  const text = `NOEMA_BASE_URL=${url}\nNOEMA_API_KEY=${secret}\n`
  const file = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = file
  link.download = 'noema.env'
  link.click()
  URL.revokeObjectURL(file)
}

type NewSecretProps = {
  secret: string
  onKept: () => void
  /** The use of the secret: a key calls the service, a signing secret signs deliveries. */
  sort?: 'key' | 'signing'
}

/** A new secret, shown once until the person has saved it. A dialog around it asks before it closes. */
export const NewSecret = ({ secret, onKept, sort = 'key' }: NewSecretProps) => {
  const [isSaved, setSaved] = useState(false)
  useLoss(isSaved ? undefined : 'The secret is not shown again. Copy it first.')
  return (
    <div className="secret">
      <p>
        <strong>Save this secret now.</strong>{' '}
        {sort === 'key'
          ? 'The service stores only a hash of it and cannot show it again.'
          : 'Your receiver uses it to verify that deliveries come from this service. It is not shown again.'}
      </p>
      <code className="secret-text" data-testid="secret">
        {secret}
      </code>
      <div className="actions">
        <CopyButton text={secret} what="the secret" onCopied={() => setSaved(true)} />
        {sort === 'key' && (
          <button
            type="button"
            className="button small"
            onClick={() => {
              downloadEnv(baseUrl, secret)
              setSaved(true)
            }}
          >
            <Icon name="download" />
            Download .env
          </button>
        )}
        <button type="button" className="button small quiet" onClick={onKept}>
          I have saved it, hide it
        </button>
      </div>
    </div>
  )
}
