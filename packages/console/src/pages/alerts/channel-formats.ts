import type { Channel } from './alerts-query.ts'

interface ChannelFormat {
  readonly label: string
  /** Where to find the URL. */
  readonly urlHint: string
  /** Absent if the URL contains the credential. */
  readonly keyLabel?: string
}

export const CHANNEL_FORMATS: Readonly<Record<Channel['format'], ChannelFormat>> = {
  slack: { label: 'Slack', urlHint: 'The URL of an incoming webhook.' },
  teams: { label: 'Microsoft Teams', urlHint: 'The URL of a workflow that posts to a channel.' },
  discord: { label: 'Discord', urlHint: 'The URL of a webhook in the channel.' },
  pagerduty: {
    label: 'PagerDuty',
    urlHint: 'https://events.pagerduty.com/v2/enqueue',
    keyLabel: 'Integration key',
  },
  opsgenie: {
    label: 'Opsgenie',
    urlHint: 'https://api.opsgenie.com/v2/alerts',
    keyLabel: 'API key',
  },
  alertmanager: {
    label: 'Alertmanager',
    urlHint: 'The URL of Alertmanager with the path /api/v2/alerts.',
  },
  email: {
    label: 'Email',
    urlHint: 'smtps://user@mail.example.com/?to=ops@example.com',
    keyLabel: 'Password (optional)',
  },
  webhook: {
    label: 'Webhook',
    urlHint: 'The URL that receives each alert as a track call in JSON.',
    keyLabel: 'Bearer token (optional)',
  },
}
