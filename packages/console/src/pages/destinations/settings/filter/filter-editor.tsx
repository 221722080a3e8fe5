import type { ReactElement } from 'react'
import { Button } from '../../../../design/controls/button.tsx'
import { Icon } from '../../../../design/icon.tsx'
import {
  BuilderContext,
  useSuggestions,
} from '../../../../domain/conditions/builder/builder-context.ts'
import { ConditionInputs } from '../../../../domain/conditions/builder/condition-inputs.tsx'
import { DefinitionInputs } from '../../../../domain/conditions/builder/definition-inputs.tsx'
import {
  distinctErrors,
  errorsOf,
  type PartError,
} from '../../../../domain/conditions/builder/error-list.tsx'
import { withDraft } from '../../../../domain/conditions/draft/definition-draft.ts'
import type { DestinationProps } from '../../../../domain/destinations/destination-query.ts'
import { FILTER_CLAUSE_EDITOR } from './filter-clause-inputs.tsx'
import { type FilterDraft, FILTERS, isFilterComplete } from './filter-draft.ts'
import { FilterPreview, type useFilterPreview } from './filter-preview.tsx'

const POINTER = '/filter'

interface FilterEditorProps extends DestinationProps {
  readonly value: FilterDraft
  readonly onChange: (value: FilterDraft) => void
  readonly preview: ReturnType<typeof useFilterPreview>
  /** The errors from saving. */
  readonly errors: readonly PartError[]
}

/** Edits the filter in the builder or as JSON, with a live preview. */
export function FilterEditor(props: FilterEditorProps): ReactElement {
  const { destination, value, onChange, preview, errors } = props
  const content = {
    errors: distinctErrors([...errors, ...errorsOf([preview.error])]),
    suggestions: useSuggestions({ sourceId: destination.sourceId, isUsed: value !== null }),
    nameOf: () => undefined,
  }
  const add = (): void => onChange(withDraft(FILTERS, FILTERS.newDraft()))
  return (
    <section aria-label="Filter" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="mr-auto font-semibold">Filter</h3>
        {value !== null && (
          <Button variant="quiet" onClick={() => onChange(null)}>
            Remove filter
          </Button>
        )}
      </div>
      {value === null ? (
        <div className="flex flex-wrap items-center gap-3">
          <p>All events.</p>
          <Button onClick={add}>
            <Icon name="plus" className="size-3" /> Add filter
          </Button>
        </div>
      ) : (
        <BuilderContext value={content}>
          <DefinitionInputs
            notation={FILTERS}
            label="Filter"
            pointer={POINTER}
            value={value}
            onChange={onChange}
          >
            {(draft, change) => (
              <ConditionInputs
                editor={FILTER_CLAUSE_EDITOR}
                pointer={POINTER}
                draft={draft}
                onChange={change}
              />
            )}
          </DefinitionInputs>
          <FilterPreview isComplete={isFilterComplete(value)} preview={preview} />
        </BuilderContext>
      )}
    </section>
  )
}
