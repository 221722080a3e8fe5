import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useId } from 'react'
import { sourcesQuery } from '../../api/queries.ts'
import { Checkbox } from '../../design/controls/field.tsx'
import { Loaded } from '../../design/states.tsx'
import { shownText } from '../../format/shown-text.ts'
import { type DeletionFields, faultIn } from './deletion-fields.ts'

interface SourceChoiceProps {
  readonly fields: DeletionFields
  readonly error: unknown
  readonly onChange: (fields: DeletionFields) => void
}

/** The sources that a deletion covers. */
export function SourceChoice({ fields, error, onChange }: SourceChoiceProps): ReactElement {
  const query = useQuery(sourcesQuery)
  const fault = faultIn(error, '/sourceIds')
  const name = useId()
  const radio = (isEverySource: boolean, words: string): ReactElement => (
    <label className="text-dense flex items-start gap-2">
      <input
        type="radio"
        name={name}
        className="accent-accent mt-0.5 size-4 shrink-0"
        checked={fields.isEverySource === isEverySource}
        onChange={() => onChange({ ...fields, isEverySource })}
      />
      {words}
    </label>
  )
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="text-dense mb-1 font-medium">Sources</legend>
      {radio(true, 'All sources, removed ones included')}
      {radio(false, 'Only some')}
      {!fields.isEverySource && (
        <div className="border-line rounded-small max-h-48 overflow-y-auto border p-2">
          <Loaded query={query}>
            {(sources) => (
              <ul className="flex flex-col gap-1">
                {sources.map(({ id, name: words }) => (
                  <li key={id}>
                    <Checkbox
                      label={shownText(words, 80)}
                      checked={fields.sourceIds.includes(id)}
                      onToggle={(isChosen) =>
                        onChange({
                          ...fields,
                          sourceIds: isChosen
                            ? [...fields.sourceIds, id]
                            : fields.sourceIds.filter((each) => each !== id),
                        })
                      }
                    />
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </div>
      )}
      {fault !== undefined && <p className="text-failed text-note">{fault}</p>}
    </fieldset>
  )
}
