import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { hideSecret } from '../session/stored-key.ts'
import { baseUrl, useWorkspace } from '../session/workspace.tsx'

const downloadEnv = (url: string, secret: string) => {
  const text = `NOEMA_BASE_URL=${url}\nNOEMA_API_KEY=${secret}\n`
  const file = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = file
  link.download = 'noema.env'
  link.click()
  URL.revokeObjectURL(file)
}

/** The secret of the key that was just minted, until it is kept: nobody can be shown it again. */
export const NewSecret = () => {
  const { key } = useWorkspace()
  if (!key?.isNew) return null
  const { secret } = key
  return (
    <div className="secret">
      <p>
        <strong>Keep this secret now.</strong> The service stores only a hash of it and cannot show it again.
      </p>
      <code className="secret-text" data-testid="secret">
        {secret}
      </code>
      <div className="actions">
        <CopyButton text={secret} what="the secret" />
        <button type="button" className="button small" onClick={() => downloadEnv(baseUrl, secret)}>
          <Icon name="download" />
          Download .env
        </button>
        <button type="button" className="button small quiet" onClick={hideSecret}>
          I have kept it, hide it
        </button>
      </div>
    </div>
  )
}
