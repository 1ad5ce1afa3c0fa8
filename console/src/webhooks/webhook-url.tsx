import type { Fields } from '../components/form/fields.tsx'

/** The URL that a webhook sends its events to. */
export const WebhookUrl = ({ form }: { form: Pick<Fields<{ url: string }>, 'Text'> }) => (
  <form.Text
    label="URL"
    name="url"
    type="url"
    hint="https on a public host. The operator allows hosts of your own network with NOEMA_WEBHOOK_ALLOW."
    placeholder="https://hooks.example.com/noema"
    required
    isMono
  />
)
