/** The query string of each search. */
export const SEARCHES: Record<string, string> = {
  'two misspelt words and a suffix': 'name=Wether+Scot+a1b',
  'a common word': 'name=Weather',
  'one letter': 'name=w',
  '64 characters': 'name=weather+scout+market+zebra+quantum+planner+oracle+silver+atlas+c',
  'a common word, filtered, in order of names': 'name=Weather&tier=premium&status=active&sort=name&order=asc',
  'a common word, offset 5,000': 'name=Weather&offset=5000',
}

/** After every agent was renamed: all names match, or share trigrams and do not match. */
export const HOSTILE_SEARCHES: Record<string, string> = {
  'hostile names, all match': 'name=weather+scout+market',
  'hostile names, all match, newest first': 'name=weather+scout+market&sort=created_at',
  'hostile names, all match, filtered, by reputation':
    'name=weather+scout+market&status=active&min_reputation=10&sort=reputation',
  'hostile names, none match': 'name=weather',
}

/** Names that share most of their trigrams. */
export const HOSTILE_NAME = `'weather scout market zebra ' || left(md5(pda), 5)`
