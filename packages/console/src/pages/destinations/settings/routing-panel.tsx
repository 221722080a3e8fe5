import { isJsonObject, type JsonObject } from '@hookline/protocol'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Panel } from '../../../design/panel.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { wholeNumber } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useDebounced } from '../../../shell/use-debounced.ts'

const NAMES = ['filter', 'sample', 'fields', 'format'] as const

interface RoutingPanelProps extends DestinationProps {
  readonly mayEdit: boolean
}

/** Which events the destination gets, and in which form. */
export function RoutingPanel({ destination, mayEdit }: RoutingPanelProps): ReactElement {
  const stored = Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = destination.settings[name]
      return value === undefined || value === null ? [] : [[name, value]]
    }),
  )
  return (
    <Panel title="Events and fields">
      {mayEdit ? (
        <RoutingForm key={JSON.stringify(stored)} destination={destination} stored={stored} />
      ) : Object.keys(stored).length === 0 ? (
        <p>All events, unchanged.</p>
      ) : (
        <JsonBlock value={stored} what="the settings" />
      )}
    </Panel>
  )
}

interface RoutingFormProps extends DestinationProps {
  readonly stored: object
}

function RoutingForm({ destination, stored }: RoutingFormProps): ReactElement {
  const before = Object.keys(stored).length === 0 ? '' : JSON.stringify(stored, null, 2)
  const [text, setText] = useState(before)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (settings: object) =>
      api.changeDestination(destination.id, { settings }, { ifMatch: `"${destination.version}"` }),
    onSuccess: () => toast('Saved. The changes apply from the next event and attempt.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const entered = objectIn(text)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const requested = NAMES.map((name) => [name, entered?.[name] ?? null])
    if (entered !== undefined) save.mutate(Object.fromEntries(requested))
  }
  const unknown = Object.keys(entered ?? {}).find((each) => !NAMES.some((name) => name === each))
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label="filter, sample, fields and format as JSON"
        hint='Empty: all events, unchanged. Example: {"filter": {"event": "Order *", "where": [{"property": "revenue", "op": ">=", "value": 100}]}, "fields": {"drop": ["context.ip"]}}'
        fault={
          entered === undefined
            ? 'Invalid JSON.'
            : unknown !== undefined
              ? `Unknown setting: ${shownText(unknown, 60)}.`
              : save.error === null
                ? undefined
                : faultText(save.error)
        }
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={Math.min(24, Math.max(4, text.split('\n').length + 1))}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <FilterPreview id={destination.id} filter={entered?.['filter']} />
      <footer className="flex gap-2">
        <Button
          type="submit"
          look="main"
          isBusy={save.isPending}
          disabled={entered === undefined || unknown !== undefined || text === before}
        >
          Save
        </Button>
        {text !== before && <Button onClick={() => setText(before)}>Discard changes</Button>}
      </footer>
    </form>
  )
}

/** The settings in the text; `undefined` if it is not a JSON object. */
function objectIn(text: string): JsonObject | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function faultText(error: unknown): string {
  const { message, errors } = problemOf(error)
  const faults = errors.map((each) => `${each.pointer}: ${each.message} ${each.hint}`)
  return faults.length > 0 ? faults.join(' ') : message
}

interface FilterPreviewProps {
  readonly id: string
  readonly filter: unknown
}

/** How many of the last events the filter selects, updated with each edit. */
function FilterPreview({ id, filter }: FilterPreviewProps): ReactElement | null {
  const text = useDebounced(isJsonObject(filter) ? JSON.stringify(filter) : '')
  const { data, error } = useQuery({
    queryKey: ['filter-preview', id, text],
    queryFn: ({ signal }) =>
      api.previewFilter(id, { filter: JSON.parse(text) as object }, {}, { signal }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  if (text === '') return null
  if (error !== null) return <p className="text-failed">{faultText(error)}</p>
  if (data === undefined) return <p className="text-ink-soft">Counting…</p>
  return (
    <div aria-live="polite" className="flex flex-col gap-2">
      <p className="font-medium">
        Selects {wholeNumber(data.selected)} of the last {wholeNumber(data.examined)} events.
      </p>
      {data.byName.length > 0 && (
        <Table label="Selected events by name" head={['Type', 'Event', 'Selected', 'Of']}>
          {data.byName.slice(0, 10).map(({ type, event, selected, examined }) => (
            <Row key={`${type} ${event}`}>
              <Cell>{type}</Cell>
              <Cell>{event === null ? '' : shownText(event, 60)}</Cell>
              <Cell>{wholeNumber(selected)}</Cell>
              <Cell>{wholeNumber(examined)}</Cell>
            </Row>
          ))}
        </Table>
      )}
      {data.excludedExamples.length > 0 && (
        <p className="text-ink-soft text-dense">
          For example, the filter excludes {data.excludedExamples[0]!.id}:{' '}
          {shownText(data.excludedExamples[0]!.reasons.join('; '), 300)}.
        </p>
      )}
    </div>
  )
}
