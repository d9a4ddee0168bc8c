import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { enumName } from '../../api/enums.ts'
import { Input, optionsOf, Select, useDebounced } from '../../ui/index.ts'
import { type FilterProps, MAX_NAME, STATUSES } from './filters.ts'
import css from './page.module.css'

const choices = (all: string, values: readonly string[]) => [{ value: '', label: all }, ...optionsOf(values)]
const SORTS = [
  { value: 'REPUTATION', label: 'Reputation' },
  { value: 'REPUTATION ASC', label: 'Lowest reputation' },
  { value: 'CREATED_AT', label: 'Newest' },
  { value: 'CREATED_AT ASC', label: 'Oldest' },
  { value: 'NAME', label: 'Name' },
  { value: 'NAME DESC', label: 'Name, from Z' },
]
/** Only a search has matches. */
const BEST_MATCH = { value: '', label: 'Best match' }
const WAIT_MS = 200

export function Filters({ search, onChange }: FilterProps) {
  const given = search.get('name') ?? ''
  const [name, setName] = useState(given)
  const typed = useDebounced(name, WAIT_MS)
  const sent = useRef(given)
  const change = useEffectEvent(onChange)
  useEffect(() => {
    if (typed === sent.current) return
    sent.current = typed
    change({ name: typed })
  }, [typed])
  // Another link or the back button changed the name.
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setName(given)
  }, [given])
  const select = (label: string, parameter: string, options: { value: string; label: string }[]) => (
    <Select
      label={label}
      options={options}
      value={enumName(search.get(parameter) ?? '')}
      onChange={({ target }) => onChange({ [parameter]: target.value })}
    />
  )
  return (
    <div className={css.filters}>
      <Input
        label="Name"
        type="search"
        placeholder="Filter by name"
        maxLength={MAX_NAME}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {select('Status', 'status', choices('All statuses', STATUSES))}
      <Select
        label="Sort by"
        options={name === '' ? SORTS : [BEST_MATCH, ...SORTS]}
        value={[enumName(search.get('sort') ?? ''), search.get('order') ?? ''].join(' ').trim()}
        onChange={({ target }) => {
          const [sort = '', order = ''] = target.value.split(' ')
          onChange({ sort, order })
        }}
      />
    </div>
  )
}
