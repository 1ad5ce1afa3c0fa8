import { z } from 'zod'
import { allowedHosts, callShares, commaList, type Settings, type ValuesOf, wholeNumber } from './setting.ts'

/** Settings of email and webhooks. */
export const deliverySettings = {
  NOEMA_SMTP_URL: {
    schema: z.url({ protocol: /^smtps?$/, error: 'an smtp:// or smtps:// address' }).optional(),
    about: 'Mail server. When unset, emails stay in the outbox and are written to the log.',
    example: 'smtps://user:password@mail.example.com',
    secret: true,
  },
  NOEMA_MAIL_FROM: {
    schema: z.string().min(3).default('Noema <noema@localhost>'),
    about: 'Sender of emails.',
    example: 'Noema <noema@example.com>',
  },
  NOEMA_HOURLY_MAIL: {
    schema: wholeNumber(1, 100_000).default(5),
    about:
      'Emails of one kind (confirmation, new password, invitation) that are sent to one address in an hour. More are dropped.',
    example: '5',
  },
  NOEMA_WEBHOOK_ALLOW: {
    schema: allowedHosts,
    about:
      'Hosts, addresses or networks that webhooks of every organization may reach in addition to public HTTPS addresses, also over plain HTTP, each with a port (443 if unset, `*` for all), separated by commas.',
    example: 'receiver:8080,10.1.0.0/16',
  },
  NOEMA_WEBHOOK_PORTS: {
    schema: commaList.pipe(z.array(wholeNumber(1, 65535))).default([]),
    about: 'The only ports that webhooks may reach on public hosts, separated by commas. When unset, all ports.',
    example: '443,8443',
  },
  NOEMA_MAX_CALLS: {
    schema: callShares('2000/250/250'),
    about:
      'Webhook calls in progress at once: on one node, of one organization, and to one host by its address. More wait.',
    example: '2000/250/250',
  },
} as const satisfies Settings

export const readDelivery = (values: ValuesOf<typeof deliverySettings>) => ({
  smtpUrl: values.NOEMA_SMTP_URL,
  mailFrom: values.NOEMA_MAIL_FROM,
  /** Emails of one kind that an address gets in an hour. */
  maxHourlyMail: values.NOEMA_HOURLY_MAIL,
  webhookAllow: values.NOEMA_WEBHOOK_ALLOW,
  webhookPorts: values.NOEMA_WEBHOOK_PORTS,
  /** Webhook calls in progress at once. */
  calls: values.NOEMA_MAX_CALLS,
})
