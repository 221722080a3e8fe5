/** The request format of a messaging or incident service. */
export interface ChannelFormat {
  /** JSONata, applied to the payload of an alert event. Absent: the payload is sent unchanged. */
  readonly transform?: string
  /**
   * The header that contains the key, and the prefix before the key. Absent: the service has no
   * key, or its URL contains it.
   */
  readonly key?: { readonly header: string; readonly prefix: string }
  /** The URL of the channel names a mail server, and its key is the password. */
  readonly isMail?: true
  /** The URL of a second webhook, which receives only the ends of alerts: the transform declines other events by `$url`. */
  readonly endUrl?: (url: URL) => string
}

/**
 * Sets $heading, a summary of the alert; $details, empty if there are none; and $lines: both, and
 * the remedy. $details omits `properties.count`, because titles contain it.
 */
const TEXTS = `$time := function($at) { $substring($at, 0, 10) & " " & $substring($at, 11, 8) & " UTC" };
  $isEnd := properties.state = "ended";
  $heading := event & ($isEnd and event != "Webhook Recovered" ? " (ended): " : ": ") & properties.title;
  $details := $join([
    properties.host ? "Host: " & properties.host,
    properties.class ? "Class: " & properties.class,
    properties.since ? ($isEnd ? "Began: " : "Since: ") & $time(properties.since),
    properties.pending ? "Pending: " & properties.pending,
    properties.expiresAt ? "First expires: " & $time(properties.expiresAt),
    properties.rejected ? "Rejected: " & properties.rejected,
    properties.heldBack ? "Held back since the last alert: " & properties.heldBack
  ], ", ");
  $lines := $join([
    $heading,
    $details != "" ? $details,
    properties.remedy
  ], "\\n");`

/** Whether the link is a URL. Services refuse a path, or show it as text. */
const IS_URL = `$contains(properties.link, "://")`

const LINK_TEXT = 'Open in Hookline'

/**
 * How each service receives alerts. A key is stored as a secret, which the API never shows: a static
 * header or, for email, the password.
 */
export const CHANNEL_FORMATS = {
  slack: {
    // The name of a source or destination must not be able to mention people or channels.
    transform: `(
  ${TEXTS}
  $escape := function($text) {
    $replace($replace($replace($text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;")
  };
  $link := $escape(properties.link);
  {"text": $escape($lines) & "\\n" & (${IS_URL} ? "<" & $link & "|${LINK_TEXT}>" : $link)}
)`,
  },
  teams: {
    transform: `(
  ${TEXTS}
  $block := function($text) { {"type": "TextBlock", "wrap": true, "text": $text} };
  {
    "type": "message",
    "attachments": [{
      "contentType": "application/vnd.microsoft.card.adaptive",
      "content": {
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
          $merge([$block($heading), {"weight": "bolder"}]),
          $details != "" ? $block($details),
          $block(properties.remedy),
          ${IS_URL} ? [] : $block(properties.link)
        ],
        "actions": ${IS_URL} ? [{"type": "Action.OpenUrl", "title": "${LINK_TEXT}", "url": properties.link}]
      }
    }]
  }
)`,
  },
  discord: {
    // Discord refuses messages of more than 2,000 characters. The link is never truncated.
    transform: `(
  ${TEXTS}
  $text := $substring($lines, 0, 1999 - $length(properties.link));
  {"content": $text & "\\n" & properties.link, "allowed_mentions": {"parse": []}}
)`,
  },
  pagerduty: {
    transform: `(
  ${TEXTS}
  {
    "event_action": $isEnd ? "resolve" : "trigger",
    "dedup_key": properties.key,
    "payload": {
      "summary": $substring($heading, 0, 1024),
      "source": "hookline",
      "severity": properties.severity = "attention" ? "warning" : "critical",
      "timestamp": timestamp,
      "component": properties.name,
      "custom_details": properties
    },
    "links": ${IS_URL} ? [{"href": properties.link, "text": "${LINK_TEXT}"}]
  }
)`,
    key: { header: 'X-Routing-Key', prefix: '' },
  },
  opsgenie: {
    transform: `(
  ${TEXTS}
  $text := $lines & "\\n" & properties.link;
  $alert := {
    "message": $substring($heading, 0, 130),
    "alias": properties.key,
    "description": $text,
    "entity": properties.name,
    "source": "hookline",
    "priority": properties.severity = "attention" ? "P3" : "P1"
  };
  $contains($url, "/close?")
    ? ($isEnd ? {"source": "hookline", "note": $text})
    : ($isEnd ? $none : $alert)
)`,
    key: { header: 'Authorization', prefix: 'GenieKey ' },
    endUrl: ({ origin, pathname }) =>
      `${origin}${pathname.replace(/\/$/, '')}/{{properties.key}}/close?identifierType=alias`,
  },
  alertmanager: {
    // An alert expires after a day, in case its end is never sent.
    transform: `(
  ${TEXTS}
  [{
    "labels": {"alertname": properties.condition, "severity": properties.severity, "key": properties.key, "id": userId},
    "annotations": {"summary": $heading, "description": $join([$details != "" ? $details, properties.remedy], "\\n")},
    "generatorURL": ${IS_URL} ? properties.link,
    "startsAt": timestamp,
    "endsAt": $fromMillis($toMillis(timestamp) + ($isEnd ? 0 : 86400000))
  }]
)`,
  },
  email: {
    transform: `(
  ${TEXTS}
  {"subject": $replace($heading, "\\n", " "), "text": $lines & "\\n" & properties.link & "\\n"}
)`,
    isMail: true,
  },
  webhook: { key: { header: 'Authorization', prefix: 'Bearer ' } },
} as const satisfies Record<string, ChannelFormat>

export type ChannelFormatName = keyof typeof CHANNEL_FORMATS

export const CHANNEL_FORMAT_NAMES = Object.keys(CHANNEL_FORMATS) as ChannelFormatName[]

/** The format that a destination was created with, recognised by its transform. */
export function formatOf(transform: string | undefined): ChannelFormatName {
  const formats: Readonly<Record<ChannelFormatName, ChannelFormat>> = CHANNEL_FORMATS
  return CHANNEL_FORMAT_NAMES.find((name) => formats[name].transform === transform) ?? 'webhook'
}
