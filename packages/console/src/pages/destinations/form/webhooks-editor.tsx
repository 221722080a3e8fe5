import type { ReactElement } from 'react'
import { faultAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextInput } from '../../../design/controls/field.tsx'
import { Icon } from '../../../design/icon.tsx'
import { HeadersEditor } from './headers-editor.tsx'
import { MOST_WEBHOOKS, newWebhook, type WebhookDraft } from './webhook-drafts.ts'

interface WebhooksEditorProps {
  readonly drafts: readonly WebhookDraft[]
  readonly onChange: (drafts: readonly WebhookDraft[]) => void
  /** What the service said about the last request. */
  readonly error: unknown
}

/** The URLs of a destination, each with its static headers. */
export function WebhooksEditor({ drafts, onChange, error }: WebhooksEditorProps): ReactElement {
  const replace = (changed: WebhookDraft): void =>
    onChange(drafts.map((each) => (each.key === changed.key ? changed : each)))
  const listFault = faultAt(error, '/settings/webhooks')
  return (
    <div className="flex flex-col gap-3">
      {drafts.map((draft, index) => (
        <WebhookEditor
          key={draft.key}
          draft={draft}
          index={index}
          error={error}
          label={drafts.length === 1 ? 'URL' : `URL ${index + 1}`}
          onChange={replace}
          {...(drafts.length > 1 && {
            onRemove: () => onChange(drafts.filter(({ key }) => key !== draft.key)),
          })}
        />
      ))}
      {listFault !== undefined && <p className="text-failed text-note">{listFault}</p>}
      {drafts.length < MOST_WEBHOOKS && (
        <Button className="self-start" onClick={() => onChange([...drafts, newWebhook()])}>
          <Icon name="plus" /> Add a URL
        </Button>
      )}
    </div>
  )
}

interface WebhookEditorProps {
  readonly draft: WebhookDraft
  readonly index: number
  readonly label: string
  readonly error: unknown
  readonly onChange: (draft: WebhookDraft) => void
  readonly onRemove?: () => void
}

function WebhookEditor(props: WebhookEditorProps): ReactElement {
  const { draft, index, label, error, onChange, onRemove } = props
  return (
    <div className="border-line rounded-small flex min-w-0 flex-col gap-2 border p-3">
      <Field
        label={label}
        hint={index === 0 ? 'The events are sent here, with POST.' : undefined}
        fault={faultAt(error, `/settings/webhooks/${index}/url`)}
      >
        {(ids) => (
          <div className="flex gap-2">
            <TextInput
              {...ids}
              inputMode="url"
              placeholder="https://example.com/hooks"
              value={draft.url}
              onChange={({ target }) => onChange({ ...draft, url: target.value })}
            />
            {onRemove !== undefined && (
              <Button look="quiet" aria-label={`Remove ${label}`} onClick={onRemove}>
                <Icon name="cross" />
              </Button>
            )}
          </div>
        )}
      </Field>
      <HeadersEditor webhook={draft} index={index} error={error} onChange={onChange} />
    </div>
  )
}
