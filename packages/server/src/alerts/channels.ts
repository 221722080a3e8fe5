/** The request that a service for messages or incidents expects. */
export interface ChannelFormat {
  /** JSONata, applied to the payload of an alert event. Absent: the payload itself. */
  readonly transform?: string
  /** The header that carries the key, and what precedes it. Absent: the service has no key, or its URL contains it. */
  readonly key?: { readonly header: string; readonly prefix: string }
}

/** A line of text: the name of the event, its title, the remedy, and a link. */
const TEXT = `event & ": " & properties.title & ($exists(properties.remedy) ? "\\n" & properties.remedy : "") & "\\n" & properties.link`

/** PagerDuty and Alertmanager resolve the alert that has the same key. Opsgenie only gets a P5 alert with the same alias. */
const IS_END = `properties.state = "ended"`

/** How each service receives alerts. Keys are headers, which the API never shows. */
export const CHANNEL_FORMATS = {
  slack: {
    // Names of sources and destinations must not mention people or channels.
    transform: `(
  $escaped := $replace($replace($replace(${TEXT}, "&", "&amp;"), "<", "&lt;"), ">", "&gt;");
  {"text": $escaped}
)`,
  },
  teams: {
    transform: `{
  "type": "message",
  "attachments": [{
    "contentType": "application/vnd.microsoft.card.adaptive",
    "content": {
      "type": "AdaptiveCard",
      "version": "1.4",
      "body": [
        {"type": "TextBlock", "wrap": true, "weight": "bolder", "text": event},
        {"type": "TextBlock", "wrap": true, "text": properties.title},
        {"type": "TextBlock", "wrap": true, "isSubtle": true, "text": properties.remedy & " " & properties.link}
      ]
    }
  }]
}`,
  },
  discord: {
    transform: `{"content": $substring(${TEXT}, 0, 2000), "allowed_mentions": {"parse": []}}`,
  },
  pagerduty: {
    transform: `{
  "event_action": ${IS_END} ? "resolve" : "trigger",
  "dedup_key": properties.key,
  "payload": {
    "summary": $substring(event & ": " & properties.title, 0, 1024),
    "source": "hookline",
    "severity": properties.severity = "attention" ? "warning" : "critical",
    "timestamp": timestamp,
    "component": properties.name,
    "custom_details": properties
  }
}`,
    key: { header: 'X-Routing-Key', prefix: '' },
  },
  opsgenie: {
    transform: `{
  "message": $substring(event & ": " & properties.title, 0, 130),
  "alias": properties.key,
  "description": properties.title & "\\n" & properties.remedy & "\\n" & properties.link,
  "source": "hookline",
  "priority": ${IS_END} ? "P5" : properties.severity = "attention" ? "P3" : "P1"
}`,
    key: { header: 'Authorization', prefix: 'GenieKey ' },
  },
  alertmanager: {
    // A start ends on its own after a day, in case no end follows.
    transform: `[{
  "labels": {"alertname": properties.condition, "severity": properties.severity, "key": properties.key, "id": userId},
  "annotations": {"summary": event & ": " & properties.title, "description": properties.remedy},
  "startsAt": timestamp,
  "endsAt": $fromMillis($toMillis(timestamp) + (${IS_END} ? 0 : 86400000))
}]`,
  },
  webhook: { key: { header: 'Authorization', prefix: 'Bearer ' } },
} as const satisfies Record<string, ChannelFormat>

export type ChannelFormatName = keyof typeof CHANNEL_FORMATS

export const CHANNEL_FORMAT_NAMES = Object.keys(CHANNEL_FORMATS) as ChannelFormatName[]

/** The format that a destination was created with: its transform shows it. */
export function formatOf(transform: string | undefined): ChannelFormatName {
  const formats: Readonly<Record<ChannelFormatName, ChannelFormat>> = CHANNEL_FORMATS
  return CHANNEL_FORMAT_NAMES.find((name) => formats[name].transform === transform) ?? 'webhook'
}
