import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useEffect, useState } from 'react'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { FormButton } from '../../../domain/conditions/builder/definition-inputs.tsx'
import {
  errorsIn,
  errorsOf,
  type PartError,
} from '../../../domain/conditions/builder/error-list.tsx'
import { withText } from '../../../domain/conditions/draft/definition-draft.ts'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { useUrlState } from '../../../shell/url-state.ts'
import { FILTERS } from './filter/filter-draft.ts'
import { FilterEditor } from './filter/filter-editor.tsx'
import { useFilterPreview } from './filter/filter-preview.tsx'
import { requestedRouting, type RoutingDraft, routingDraftOf } from './routing-draft.ts'
import { ShapeEditor } from './shape/shape-editor.tsx'
import { TransformEditor } from './transform-editor.tsx'

interface RoutingPanelProps extends DestinationProps {
  readonly canEdit: boolean
}

/** Which events the destination gets, and in which form. */
export function RoutingPanel({ destination, canEdit }: RoutingPanelProps): ReactElement {
  const before = routingDraftOf(destination)
  return (
    <Panel title="Events and fields" actions={canEdit && <FormButton />}>
      {canEdit ? (
        <RoutingForm
          key={JSON.stringify(requestedRouting(before))}
          destination={destination}
          before={before}
        />
      ) : (
        <ReadOnlyRouting {...before} />
      )}
    </Panel>
  )
}

function ReadOnlyRouting({ filter, shape, transform }: RoutingDraft): ReactElement {
  const isShaped = shape.text !== '{}'
  if (filter === null && !isShaped && transform === '') return <p>All events, with all fields.</p>
  return (
    <div className="flex flex-col gap-3">
      {filter !== null && (
        <>
          <h3 className="text-dense font-medium">Filter</h3>
          {filter.draft !== undefined && <p>{FILTERS.describe(filter.draft, () => undefined)}</p>}
          <JsonBlock value={filter.json} what="the filter" />
        </>
      )}
      {isShaped && (
        <>
          <h3 className="text-dense font-medium">Users, fields and format</h3>
          <JsonBlock value={shape.json} what="the settings" />
        </>
      )}
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
  const [draft, setDraft] = useRoutingDraft(before)
  const { filter, shape, transform } = draft
  const preview = useFilterPreview(destination.id, filter)
  const save = useSave(destination)
  const errors = errorsOf([save.error]).map(inSettings)
  const shared = { destination, errors }
  const requested = requestedRouting(draft)
  const isChanged = JSON.stringify(requested) !== JSON.stringify(requestedRouting(before))
  const edit = (change: Partial<RoutingDraft>): void => {
    // The error was in the text before this change.
    if (save.isError) save.reset()
    setDraft({ ...draft, ...change })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (requested !== undefined) save.mutate(requested)
  }
  return (
    <form
      onSubmit={submit}
      className="*:border-line flex flex-col gap-4 *:not-first:border-t *:not-first:pt-4"
    >
      <FilterEditor
        {...shared}
        value={filter}
        onChange={(next) => edit({ filter: next })}
        preview={preview}
      />
      <ShapeEditor {...shared} value={shape} onChange={(next) => edit({ shape: next })} />
      <TransformEditor
        destination={destination}
        selected={preview.data?.selectedExamples}
        expression={transform}
        onChange={(expression) => edit({ transform: expression })}
        fieldError={transformError(errors)}
        isShapeEdited={shape.text !== before.shape.text}
      />
      <footer className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant="primary"
          isBusy={save.isPending}
          disabled={requested === undefined || !isChanged}
        >
          Save
        </Button>
        {isChanged && <Button onClick={() => edit(before)}>Discard changes</Button>}
        {save.error !== null && (
          <p role="alert" className="text-failed">
            {problemOf(save.error).message}
          </p>
        )}
      </footer>
    </form>
  )
}

/** A link from the catalog suggests a filter, once, unless the destination has one. */
function useRoutingDraft(before: RoutingDraft) {
  const [{ filter: suggested }, setUrl] = useUrlState<'filter'>()
  const isSuggested = suggested !== undefined && before.filter === null
  useEffect(() => {
    if (suggested !== undefined) setUrl({ filter: undefined })
  })
  return useState(isSuggested ? { ...before, filter: withText(FILTERS, suggested) } : before)
}

function useSave({ id, version }: DestinationProps['destination']) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (settings: object) =>
      api.changeDestination(id, { settings }, { ifMatch: `"${version}"` }),
    onSuccess: () => toast('Saved. The changes apply from the next event and attempt.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
}

/** `/settings/filter` becomes `/filter`, as in a preview. */
function inSettings(fieldError: PartError): PartError {
  return { ...fieldError, pointer: fieldError.pointer.replace(/^\/settings/, '') }
}

function transformError(errors: readonly PartError[]): string | undefined {
  const [fieldError] = errorsIn(errors, '/transform')
  return fieldError && [fieldError.message, fieldError.hint].filter(Boolean).join(' ')
}
