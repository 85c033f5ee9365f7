"""The documentation site: `make docs` builds it into ``build/site``, without network access."""

from __future__ import annotations

import sys
from pathlib import Path

import hazboost

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_extensions"))

from repository_pages import locate as linkcode_resolve  # noqa: E402, F401

project = "hazboost"
author = "The hazboost developers"
copyright = f"2026, {author}"  # noqa: A001
release = version = hazboost.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.linkcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "public_names",
    "repository_pages",
]
exclude_patterns = ["_*", "experiments/latex"]
templates_path = ["_templates"]
nitpicky = True
default_role = "py:obj"

# Markdown: pages are read on GitHub, too, so that links lead to files and headings have GitHub's anchors.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "html_image"]
myst_dmath_double_inline = True
myst_heading_anchors = 4
myst_url_schemes = {"http": None, "https": None, "mailto": None, "source": None}

# The reference
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"  # the docstrings have types in words
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template of a class has them
numpydoc_class_members_toctree = False
#: Names in single backticks that have no page of their own: private modules, and other libraries.
nitpick_ignore_regex = [
    ("py:.*", r"(numpy|np|pandas|pd|matplotlib|plt|sklearn|scipy|dask|distributed|optuna|xgboost|collections|os)\..*"),
]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"drawing\.py$",
    "within_subsection_order": "example_figures.Order",
    "image_scrapers": ("example_figures.collect",),
    "reset_argv": "example_figures.arguments",
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "download_all_examples": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "hazboost"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_sidebars = {"index": [], "tutorial": [], "changelog": [], "migrating/*": [], "source/**": []}
html_theme_options = {
    "logo": {"text": "hazboost"},
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

linkcheck_ignore = ["source:"]  # files of the repository, which check_links.py looks for
