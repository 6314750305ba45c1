"""The workbench: pages in the browser, made here from templates that escape everything."""
