import { isJsonObject } from '@hookline/protocol'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { faultAt, problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, TextArea } from '../../../design/controls/field.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Panel } from '../../../design/panel.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { wholeNumber } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { useDebounced } from '../../../shell/use-debounced.ts'
import {
  jsonFault,
  objectIn,
  requestedRouting,
  type RoutingDraft,
  routingDraftOf,
} from './routing-draft.ts'
import { TransformEditor } from './transform-editor.tsx'

interface RoutingPanelProps extends DestinationProps {
  readonly mayEdit: boolean
}

/** Which events the destination gets, and in which form. */
export function RoutingPanel({ destination, mayEdit }: RoutingPanelProps): ReactElement {
  const before = routingDraftOf(destination)
  return (
    <Panel title="Events and fields">
      {mayEdit ? (
        <RoutingForm key={JSON.stringify(before)} destination={destination} before={before} />
      ) : (
        <ReadOnlyRouting {...before} />
      )}
    </Panel>
  )
}

function ReadOnlyRouting({ json, transform }: RoutingDraft): ReactElement {
  if (json === '' && transform === '') return <p>All events, unchanged.</p>
  return (
    <div className="flex flex-col gap-3">
      {json !== '' && <JsonBlock value={objectIn(json)} what="the settings" />}
      {transform !== '' && (
        <>
          <h3 className="text-dense font-medium">Transform</h3>
          <CodeBlock text={transform} what="the transform" />
        </>
      )}
    </div>
  )
}

interface RoutingFormProps extends DestinationProps {
  readonly before: RoutingDraft
}

function RoutingForm({ destination, before }: RoutingFormProps): ReactElement {
  const [draft, setDraft] = useState(before)
  const { json, transform } = draft
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (settings: object) =>
      api.changeDestination(destination.id, { settings }, { ifMatch: `"${destination.version}"` }),
    onSuccess: () => toast('Saved. The changes apply from the next event and attempt.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const requested = requestedRouting(draft)
  const isChanged = json !== before.json || transform !== before.transform
  const edit = (change: Partial<RoutingDraft>): void => {
    // The fault was in the text before this change.
    if (save.isError) save.reset()
    setDraft({ ...draft, ...change })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (requested !== undefined) save.mutate(requested)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label="filter, sample, fields and format as JSON"
        hint='Empty: all events, unchanged. Example: {"filter": {"event": "Order *", "where": [{"property": "revenue", "op": ">=", "value": 100}]}, "fields": {"drop": ["context.ip"]}}'
        fault={jsonFault(json) ?? savingFault(save.error)}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={Math.min(24, Math.max(4, json.split('\n').length + 1))}
            value={json}
            onChange={({ target }) => edit({ json: target.value })}
          />
        )}
      </Field>
      <FilterPreview id={destination.id} filter={objectIn(json)?.['filter']} />
      <TransformEditor
        destination={destination}
        expression={transform}
        onChange={(expression) => edit({ transform: expression })}
        fault={faultAt(save.error, TRANSFORM)}
        isFormEdited={json !== before.json}
      />
      <footer className="flex gap-2">
        <Button
          type="submit"
          look="main"
          isBusy={save.isPending}
          disabled={requested === undefined || !isChanged}
        >
          Save
        </Button>
        {isChanged && <Button onClick={() => edit(before)}>Discard changes</Button>}
      </footer>
    </form>
  )
}

const TRANSFORM = '/settings/transform'

/** Why the settings in the JSON were refused. A fault of the transform is shown at its own field. */
function savingFault(error: unknown): string | undefined {
  const isOfTransform = faultAt(error, TRANSFORM) !== undefined
  return error === null || isOfTransform ? undefined : faultText(error)
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
