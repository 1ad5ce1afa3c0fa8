// Credentials that were never valid, in parts: scanners of source code would report them whole.

export const githubToken = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_')
export const slackToken = ['xoxb', '23984754863', '2348975623103'].join('-')
export const passwordInAddress = ['https://ann:hunter2pass', 'example.com/feed'].join('@')
export const awsSecret = ['wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYzWyyTsoKQ2'].join('/').padEnd(40, 'x')
