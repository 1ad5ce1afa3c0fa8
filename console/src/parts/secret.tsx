import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'

const downloadEnv = (baseUrl: string, secret: string) => {
  const text = `NOEMA_BASE_URL=${baseUrl}\nNOEMA_API_KEY=${secret}\n`
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'noema.env'
  link.click()
  URL.revokeObjectURL(url)
}

/** A new key's secret, which nobody can be shown again. */
export const Secret = ({ secret, baseUrl }: { secret: string; baseUrl: string }) => (
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
    </div>
  </div>
)
