/** A transform that the console and the CLI offer by name. */
export interface ReadyMadeTransform {
  readonly title: string
  /** JSONata. */
  readonly expression: string
}

const WHO = 'userId ? userId : anonymousId'

/** What happened, as one line of text. */
const SUMMARY = `(
    $who := ${WHO};
    type = "track" ? event & " by " & $who
    : type = "identify" ? $who & " was identified"
    : type & " by " & $who
  )`

/** Details of a track, page or screen event: one line for each simple property. */
const DETAILS = String.raw`$join(
    $each(properties, function($value, $name) {
      $type($value) in ["string", "number", "boolean"] ? $name & ": " & $string($value)
    }),
    "\n"
  )`

/**
 * Transforms for well-known receivers. Each shows the event as text; adapt the expression to show it differently.
 * Sources: the documentation of incoming webhooks of Slack, Discord and Microsoft Teams (Adaptive Cards 1.4), of PagerDuty's
 * Events API v2, Opsgenie's Alert API and Alertmanager's API v2.
 */
export const READY_MADE_TRANSFORMS = {
  slack: {
    title: 'Slack message',
    expression: `{
  "text": $join([${SUMMARY}, ${DETAILS}][$ != ""], "\\n")
}`,
  },
  teams: {
    title: 'Microsoft Teams card',
    expression: `{
  "type": "message",
  "attachments": [{
    "contentType": "application/vnd.microsoft.card.adaptive",
    "content": {
      "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
      "type": "AdaptiveCard",
      "version": "1.4",
      "body": [
        { "type": "TextBlock", "weight": "Bolder", "wrap": true, "text": ${SUMMARY} },
        { "type": "TextBlock", "wrap": true, "text": ${DETAILS} }
      ]
    }
  }]
}`,
  },
  discord: {
    title: 'Discord message',
    expression: `{
  "content": $substring($join([${SUMMARY}, ${DETAILS}][$ != ""], "\\n"), 0, 2000),
  "allowed_mentions": { "parse": [] }
}`,
  },
  pagerduty: {
    title: 'PagerDuty event (insert your routing key)',
    expression: `{
  "routing_key": "YOUR ROUTING KEY",
  "event_action": "trigger",
  "dedup_key": messageId,
  "payload": {
    "summary": ${SUMMARY},
    "source": "hookline",
    "severity": "info",
    "timestamp": timestamp,
    "custom_details": properties
  }
}`,
  },
  opsgenie: {
    title: 'Opsgenie alert',
    expression: `{
  "message": $substring(${SUMMARY}, 0, 130),
  "alias": messageId,
  "description": ${DETAILS},
  "source": "hookline",
  "priority": "P3"
}`,
  },
  alertmanager: {
    title: 'Alertmanager alert',
    expression: `[{
  "labels": { "alertname": type = "track" ? event : type, "source": "hookline" },
  "annotations": { "summary": ${SUMMARY}, "description": ${DETAILS} },
  "startsAt": timestamp
}]`,
  },
} as const satisfies Record<string, ReadyMadeTransform>

export type ReadyMadeTransformName = keyof typeof READY_MADE_TRANSFORMS
