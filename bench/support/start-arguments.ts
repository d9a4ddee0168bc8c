import packageJson from '../../package.json' with { type: 'json' }

/** The arguments with which `npm start` starts Node. Its options limit memory. */
export const START_ARGUMENTS = packageJson.scripts.start.split(' ').slice(1)
