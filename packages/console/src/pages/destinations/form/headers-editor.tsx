import { type ReactElement, useState } from 'react'
import { faultAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextInput } from '../../../design/controls/field.tsx'
import { Icon } from '../../../design/icon.tsx'
import { shownText } from '../../../format/shown-text.ts'
import {
  headerPointer,
  type HeaderDraft,
  isKept,
  MOST_HEADERS,
  newHeader,
  repeatedHeader,
  type WebhookDraft,
} from './webhook-drafts.ts'

interface HeadersEditorProps {
  readonly webhook: WebhookDraft
  /** The number of the webhook, from 0. */
  readonly index: number
  readonly error: unknown
  readonly onChange: (webhook: WebhookDraft) => void
}

/** Static headers of a webhook. Their values can be written, and never read again. */
export function HeadersEditor(props: HeadersEditorProps): ReactElement {
  const { webhook, index, error, onChange } = props
  const { headers } = webhook
  const change = (next: readonly HeaderDraft[]): void => onChange({ ...webhook, headers: next })
  const fault = faultAt(error, `/settings/webhooks/${index}/headers`)
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="sr-only">Static headers</legend>
      {headers.map((header) => (
        <HeaderEditor
          key={header.key}
          header={header}
          webhook={webhook}
          fault={
            repeatedHeader(webhook, header)
              ? 'This header is written twice. Keep one of them: upper and lower case make no difference.'
              : faultAt(error, headerPointer(index, header.name))
          }
          onChange={(next) => change(headers.map((each) => (each.key === next.key ? next : each)))}
          onRemove={() => change(headers.filter(({ key }) => key !== header.key))}
        />
      ))}
      {fault !== undefined && <p className="text-failed text-note">{fault}</p>}
      {headers.length < MOST_HEADERS && (
        <Button
          look="quiet"
          className="self-start px-1"
          onClick={() => change([...headers, newHeader()])}
        >
          <Icon name="plus" /> Add a header
        </Button>
      )}
    </fieldset>
  )
}

interface HeaderEditorProps {
  readonly header: HeaderDraft
  readonly webhook: WebhookDraft
  readonly fault: string | undefined
  readonly onChange: (header: HeaderDraft) => void
  readonly onRemove: () => void
}

function HeaderEditor(props: HeaderEditorProps): ReactElement {
  const { header, webhook, fault, onChange, onRemove } = props
  const [isReplacing, setReplacing] = useState(false)
  const name = shownText(header.name, 60)
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Field label="Header" className="flex-1 basis-36" fault={fault}>
        {(ids) => (
          <TextInput
            {...ids}
            placeholder="Authorization"
            readOnly={header.isStored}
            value={header.name}
            onChange={({ target }) => onChange({ ...header, name: target.value })}
          />
        )}
      </Field>
      {isKept(header, webhook) && !isReplacing ? (
        <div className="flex flex-1 basis-44 flex-col gap-1">
          <span className="text-dense font-medium">Value</span>
          <span className="text-dense flex min-h-8 items-center gap-2">
            set, and not shown
            <Button
              look="quiet"
              aria-label={`Replace the value of ${name}`}
              onClick={() => setReplacing(true)}
            >
              Replace
            </Button>
          </span>
        </div>
      ) : (
        <ValueField header={header} webhook={webhook} onChange={onChange} />
      )}
      <Button
        look="quiet"
        className="mt-6 px-2"
        aria-label={`Remove the header ${name}`}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </Button>
    </div>
  )
}

function ValueField({
  header,
  webhook,
  onChange,
}: Pick<HeaderEditorProps, 'header' | 'webhook' | 'onChange'>): ReactElement {
  const hint = !header.isStored
    ? undefined
    : webhook.url.trim() === webhook.storedUrl
      ? 'Left empty, the stored value stays.'
      : 'The URL has changed: write the value again.'
  return (
    <Field label="Value" className="flex-1 basis-44" hint={hint}>
      {(ids) => (
        <TextInput
          {...ids}
          type="password"
          autoComplete="new-password"
          placeholder="Bearer …"
          value={header.value}
          onChange={({ target }) => onChange({ ...header, value: target.value })}
        />
      )}
    </Field>
  )
}
